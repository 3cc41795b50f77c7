import { authAddressOf } from '#domains';
import { projectOf } from '#environments';
import { sendMessage } from '#messages';
import type { Environment, TxCtx } from '#platform/ctx.ts';
import type { Settings } from '#settings';

/** The purpose of a challenge. `register`: the account is created when the address is proven. */
export type Purpose =
  | 'register'
  | 'verify_email'
  | 'sign_in'
  | 'magic_link'
  | 'reset_password'
  | 'change_email'
  | 'change_phone'
  | 'add_phone_factor';

/** The content and target of a message with a code and a link. */
export type ChallengeMessage = {
  purpose: Purpose;
  channel: 'email' | 'phone';
  address: string;
  /** The user's language. */
  locale?: string | null;
  /**
   * Makes the challenge a decoy that no code or link can complete. The response and the work are the same (AU-6).
   * `tell`: notifies the owner of the address that somebody tried to register with it.
   */
  decoy?: { tell: boolean } | undefined;
  /** Sends nothing because the address has reached its limit of messages. The challenge works like any other. */
  silent?: boolean;
  code: string;
  token: string;
  expiresAt: Date;
};

/** The mail template of each purpose, and the page its link opens. */
const MAILS = {
  register: { template: 'verify_email', page: 'verify' },
  verify_email: { template: 'verify_email', page: 'verify' },
  sign_in: { template: 'sign_in_code', page: null },
  magic_link: { template: 'magic_link', page: 'sign-in' },
  reset_password: { template: 'reset_password', page: 'password' },
  change_email: { template: 'change_email', page: null },
  change_phone: { template: 'change_email', page: null },
  add_phone_factor: { template: 'change_email', page: null },
} as const satisfies Record<Purpose, { template: string; page: string | null }>;

/**
 * Sends a challenge's code and link; for a decoy the same work is done, but nothing, or a notice to the owner, is sent.
 */
export async function sendChallengeMessage(tx: TxCtx, challenge: ChallengeMessage): Promise<void> {
  const common = { to: challenge.address, locale: challenge.locale ?? null, expiresAt: challenge.expiresAt };
  if (challenge.channel === 'phone') {
    const suppressed = isSilent(challenge) || (await isTestNumber(tx, challenge));
    return sendMessage(tx, { ...common, template: 'sms_code', variables: { code: challenge.code }, suppressed });
  }
  if (challenge.decoy?.tell)
    return sendMessage(tx, {
      ...common,
      template: 'known_address',
      variables: {},
      suppressed: challenge.silent === true,
    });
  const { template, page } = MAILS[challenge.purpose];
  const minutes = Math.round((challenge.expiresAt.getTime() - tx.now.getTime()) / 60_000);
  const link = page && { link: `${await authAddressOf(tx)}/link/${page}?token=${challenge.token}` };
  await sendMessage(tx, {
    ...common,
    template,
    variables: { code: challenge.code, minutes, ...link },
    suppressed: isSilent(challenge),
  });
}

function isSilent({ decoy, silent }: ChallengeMessage): boolean {
  return decoy !== undefined || silent === true;
}

async function isTestNumber(tx: TxCtx, challenge: ChallengeMessage): Promise<boolean> {
  const { settings } = await projectOf(tx.system, tx.scope);
  return testCodeOf(settings, tx.scope.environment, challenge) !== undefined;
}

/** The fixed code of a test phone number; only in the test environment. */
export function testCodeOf(
  settings: Settings,
  environment: Environment,
  { channel, address }: Pick<ChallengeMessage, 'channel' | 'address'>,
): string | undefined {
  if (environment !== 'test' || channel !== 'phone') return undefined;
  return settings.testPhoneNumbers.find(({ phone }) => phone === address)?.code;
}
