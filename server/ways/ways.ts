import type { Entrance } from '#admission';
import { inEvenTime, requireProof } from '#attempts';
import { requireSms } from '#billing';
import { projectOf } from '#environments';
import { enabledProviders } from '#identity-providers';
import type { Ctx, TxCtx } from '#platform/ctx.ts';
import { problem } from '#platform/problem.ts';
import { type NewAddressChallenge, startAddressChallenge } from '#proofs';
import type { SignInMethod } from '#settings';
import { noteWay } from './noted-ways.ts';

/** The checks of the ways in; docs/security-model.md shows them with the table of ways. */
export const CHECKS = {
  sms: 'text messages can be sent: the add-on is bought and its limit is not reached',
  application:
    'the application at the end of the way is the one that started it, belongs to the project, and is enabled',
  pkce: 'a public client sends a code challenge; the code is exchanged with its verifier, or by the same application',
  puzzle: 'a proof of work, if the project requires one',
  method: 'the project offers the method, and the identity provider if the way uses one',
  connection:
    'the connection is enabled, its organization is not blocked, and the same identity provider vouches for people',
  registration: 'registration is open',
  messages: 'messages are counted before one is sent, and the response takes equally long with and without an account',
  attempts: 'attempts are counted by account and source before the credential is checked',
  tries: 'attempts at this challenge are counted before the credential is checked',
  credential: 'the password, code, link, passkey, identity or token is valid',
  new_password: 'a chosen password meets the policy; without one, the project has another method',
  address: 'the email address is verified, if the project requires that',
  admission:
    'the project is open, the member not blocked, no second factor is missing, and no action of the project refuses',
} as const;
export type Check = keyof typeof CHECKS;

type Row = { entrance?: Entrance; method?: SignInMethod; checks: readonly Check[] };

/**
 * The checks of every way in, and of every request for its message, in the order in which they are made and refuse. A
 * {@link Passage} enforces the row of a way.
 */
export const WAYS = {
  password: {
    entrance: 'password',
    method: 'password',
    checks: ['method', 'puzzle', 'attempts', 'credential', 'address', 'admission'],
  },
  magic_link_asked: { method: 'magic_link', checks: ['method', 'puzzle', 'messages'] },
  magic_link: { entrance: 'magic_link', method: 'magic_link', checks: ['method', 'credential', 'admission'] },
  exchanged_link: {
    entrance: 'magic_link',
    method: 'magic_link',
    checks: ['pkce', 'application', 'method', 'credential', 'admission'],
  },
  email_code_asked: { method: 'email_code', checks: ['method', 'puzzle', 'messages'] },
  email_code: { entrance: 'email_code', method: 'email_code', checks: ['method', 'credential', 'admission'] },
  phone_code_asked: { method: 'phone', checks: ['sms', 'method', 'puzzle', 'messages'] },
  phone_code: { entrance: 'phone_code', method: 'phone', checks: ['method', 'credential', 'admission'] },
  passkey_asked: { method: 'passkey', checks: ['method'] },
  passkey: { entrance: 'passkey', method: 'passkey', checks: ['method', 'credential', 'admission'] },
  social_asked: { method: 'social', checks: ['application', 'pkce', 'method'] },
  linking_asked: { method: 'social', checks: ['method'] },
  linking: { method: 'social', checks: ['method', 'credential'] },
  social: {
    entrance: 'social',
    method: 'social',
    checks: ['pkce', 'application', 'method', 'credential', 'admission'],
  },
  connection_asked: { checks: ['application', 'pkce', 'connection'] },
  connection_linking: { checks: ['connection', 'credential'] },
  connection: { entrance: 'connection', checks: ['pkce', 'application', 'connection', 'credential', 'admission'] },
  test_sign_in: { entrance: 'connection', checks: ['connection', 'credential', 'admission'] },
  registration: {
    entrance: 'registration',
    checks: ['puzzle', 'registration', 'new_password', 'address', 'admission'],
  },
  verified_registration: { entrance: 'registration', checks: ['credential', 'registration', 'admission'] },
  verified_address: { entrance: 'verified_address', checks: ['credential', 'admission'] },
  verified_identity: {
    entrance: 'verified_address',
    method: 'social',
    checks: ['method', 'credential', 'admission'],
  },
  invited_registration: { entrance: 'invitation', checks: ['puzzle', 'credential', 'new_password', 'admission'] },
  invitation: { entrance: 'invitation', checks: ['credential', 'new_password', 'admission'] },
  accepted_invitation: { entrance: 'accepted_invitation', checks: ['credential', 'admission'] },
  password_forgotten: { method: 'password', checks: ['method', 'puzzle', 'messages'] },
  password_reset_sent: { method: 'password', checks: ['method'] },
  password_reset: { method: 'password', checks: ['method', 'credential', 'new_password'] },
  second_factor: { entrance: 'second_factor', checks: ['attempts', 'tries', 'credential', 'admission'] },
  factor_enrolment: { entrance: 'factor_enrolment', checks: ['attempts', 'tries', 'credential', 'admission'] },
  reauthenticate: { entrance: 'reauthenticate', checks: ['attempts', 'credential', 'admission'] },
  switch_context: { entrance: 'switch_context', checks: ['credential', 'admission'] },
  refresh: { entrance: 'refresh', checks: ['credential', 'admission'] },
} as const satisfies Record<string, Row>;
export type Way = keyof typeof WAYS;

/** The input of the checks that need nothing but the request. */
type Given = { proof?: string | undefined };

/** The checks that are the same for every way. */
const AT_THE_DOOR: Partial<Record<Check, (ctx: Ctx, row: Row, given: Given) => Promise<void>>> = {
  sms: async (ctx) => {
    await requireSms(ctx);
  },
  puzzle: (ctx, _row, { proof }) => requireProof(ctx, proof),
  method: async (ctx, { method }) => {
    if (method) await requireMethod(ctx, method);
  },
  registration: requireOpenRegistration,
};

/**
 * A request on a way in, with the checks of its row that it has passed. A session starts, and a message is sent, only
 * at the end of a row.
 */
export class Passage {
  readonly #way: Way;
  readonly #row: Row;
  #passed = 0;

  constructor({ trace }: Pick<Ctx | TxCtx, 'trace'>, way: Way) {
    noteWay(trace, way);
    this.#way = way;
    this.#row = WAYS[way];
  }

  /**
   * Makes the checks that are the same for every way, as far as the row starts with them.
   * @throws Problem
   */
  async open(ctx: Ctx, given: Given = {}): Promise<this> {
    for (const check of this.#row.checks.slice(this.#passed)) {
      const make = AT_THE_DOOR[check];
      if (!make) break;
      // biome-ignore lint/performance/noAwaitInLoops: the first that does not hold is the answer
      this.passed(check, await make(ctx, this.#row, given));
    }
    return this;
  }

  /**
   * Records the result of a check; null or false does not count as passed. A transaction that runs again may record it
   * again.
   * @returns the result
   * @throws Error if an earlier check of the row is missing. That is a programming error, and nobody gets in
   */
  passed<Found>(check: Check, found: Found): Found {
    if (found === false || found === null) return found;
    const at = this.#row.checks.indexOf(check);
    if (at < 0 || at > this.#passed)
      throw new Error(`The way in "${this.#way}" is not ready for "${check}": ${this.#passed} checks were passed.`);
    this.#passed = Math.max(this.#passed, at + 1);
    return found;
  }

  /** @throws Error if a check of the row was not passed */
  end(): void {
    const { checks } = this.#row;
    if (this.#passed < checks.length)
      throw new Error(`The way in "${this.#way}" ends before "${checks.slice(this.#passed).join('", "')}".`);
  }

  /** The sign-in method of the way; undefined if it has no fixed one. */
  method(): SignInMethod | undefined {
    return this.#row.method;
  }

  /**
   * The entrance at the end of the way, when only admission is left to decide.
   * @throws Error
   */
  entrance(): Entrance {
    if (!this.#row.entrance) throw new Error(`The way "${this.#way}" leads to no session.`);
    this.passed('admission', true);
    return this.#row.entrance;
  }
}

type Started = Awaited<ReturnType<typeof startAddressChallenge>>;

/**
 * Sends the message of a way that starts with one. The response time does not depend on the account.
 * @throws Problem of the checks of the way
 */
export async function askByMessage(
  ctx: Ctx,
  way: Way,
  { proof, flowOf }: Given & { flowOf: () => Promise<NewAddressChallenge & { typed?: string }> },
): Promise<Started> {
  const passage = await new Passage(ctx, way).open(ctx, { proof });
  passage.passed('messages', true);
  return inEvenTime(async () => startAddressChallenge(ctx, await flowOf()));
}

/** @throws Problem REGISTRATION_CLOSED */
export async function requireOpenRegistration(ctx: Ctx | TxCtx): Promise<void> {
  const { settings } = await projectOf(ctx.system, ctx.scope);
  if (settings.registration !== 'open') throw problem('REGISTRATION_CLOSED');
}

/**
 * @param provider the key of the identity provider that the way uses
 * @throws Problem METHOD_DISABLED if the project does not offer the method, or the provider
 */
export async function requireMethod(ctx: Ctx | TxCtx, method: SignInMethod, provider?: string): Promise<void> {
  const { settings } = await projectOf(ctx.system, ctx.scope);
  if (!settings.signInMethods.includes(method)) throw problem('METHOD_DISABLED');
  if (provider === undefined) return;
  if (!(await enabledProviders(ctx)).some(({ id }) => id === provider)) throw problem('METHOD_DISABLED');
}
