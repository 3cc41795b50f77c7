import { authAddressOf } from '#domains';
import { sendMessage } from '#messages';
import type { Environment, TxCtx } from '#platform/ctx.ts';
import type { Settings } from '#settings';
import { projectOf } from '#tenancy';

/** What a proof of an address is for. `register`: the account is made when the address is proven. */
export type Purpose =
  | 'register'
  | 'verify_email'
  | 'sign_in'
  | 'magic_link'
  | 'reset_password'
  | 'change_email'
  | 'change_phone'
  | 'add_phone_factor';

/** What a code and a link say, and where they go. */
export type FlowMessage = {
  purpose: Purpose;
  channel: 'email' | 'phone';
  address: string;
  /** The person's language. */
  locale?: string | null;
  /**
   * There is nothing to prove: no code or link can finish the flow. The asker sees the same answer, and the same work is done
   * (AU-6). `tell`: the owner of the address hears that somebody tried to register with it.
   */
  decoy?: { tell: boolean } | undefined;
  /** Sends nothing because the address has reached its limit of messages. The flow works like any other. */
  silent?: boolean;
  code: string;
  token: string;
  expiresAt: Date;
};

/** The mail of each purpose, and the page its link opens. */
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

/** Sends a flow's code and link; for a decoy the same work is done, and nothing, or a hint to the owner, is sent. */
export async function sendFlowMessage(tx: TxCtx, flow: FlowMessage): Promise<void> {
  const common = { to: flow.address, locale: flow.locale ?? null, expiresAt: flow.expiresAt };
  if (flow.channel === 'phone') {
    const suppressed = isSilent(flow) || (await isTestNumber(tx, flow));
    return sendMessage(tx, { ...common, template: 'sms_code', variables: { code: flow.code }, suppressed });
  }
  if (flow.decoy?.tell)
    return sendMessage(tx, { ...common, template: 'known_address', variables: {}, suppressed: flow.silent === true });
  const { template, page } = MAILS[flow.purpose];
  const minutes = Math.round((flow.expiresAt.getTime() - tx.now.getTime()) / 60_000);
  const link = page && { link: `${await authAddressOf(tx)}/link/${page}?token=${flow.token}` };
  await sendMessage(tx, {
    ...common,
    template,
    variables: { code: flow.code, minutes, ...link },
    suppressed: isSilent(flow),
  });
}

function isSilent({ decoy, silent }: FlowMessage): boolean {
  return decoy !== undefined || silent === true;
}

async function isTestNumber(tx: TxCtx, flow: FlowMessage): Promise<boolean> {
  const { settings } = await projectOf(tx.system, tx.scope);
  return testCodeOf(settings, tx.scope.environment, flow) !== undefined;
}

/** The fixed code of a test number; in the test environment only. */
export function testCodeOf(
  settings: Settings,
  environment: Environment,
  { channel, address }: Pick<FlowMessage, 'channel' | 'address'>,
): string | undefined {
  if (environment !== 'test' || channel !== 'phone') return undefined;
  return settings.testPhoneNumbers.find(({ phone }) => phone === address)?.code;
}
