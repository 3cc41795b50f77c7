import assert from 'node:assert/strict';
import { softwareAuthenticator } from './authenticator.ts';
import { type App, challengeIn, totpOf } from './factors.ts';
import {
  lastMessage,
  mailedToken,
  PASSWORD,
  prove,
  register,
  type TestClock,
  type TestLatchkey,
  type TestResponse,
} from './harness.ts';

/** What a person chooses after a reset. */
export const NEXT_PASSWORD = 'another correct horse battery';

export type Person = Awaited<ReturnType<typeof register>>;
export type Session = { access_token: string; refresh_token: string; deviceToken?: string };
type Call = { method?: string; body?: unknown };

/** Helpers for people whose accounts have second factors. */
export function peopleAt(latchkey: TestLatchkey, clock: TestClock) {
  const me = (path: string, { access_token: token }: Pick<Session, 'access_token'>, call: Call = {}) =>
    latchkey.api(`/v1/me${path}`, { token, ...call });
  const login = ({ email }: { email: string }, extra: Record<string, unknown> = {}) =>
    latchkey.auth('/v1/auth/login/password', { body: { identifier: email, password: PASSWORD, ...extra } });
  const verify = (body: Record<string, unknown>) => latchkey.auth('/v1/auth/mfa/verify', { body });

  /** Signs in with both factors. Advances the clock, because a code works once. */
  const withBoth = async (person: Person, app: App, more: Record<string, unknown> = {}): Promise<Session> => {
    const { mfaToken } = challengeIn(await login(person));
    const response = await verify({ mfaToken, code: app.code(), ...more });
    assert.equal(response.status, 200, response.text);
    clock.advance(30_000);
    return response.body;
  };

  /**
   * A person with an app: in a session with both factors, and in one with the password only, on a remembered device.
   */
  const protectedPerson = async () => {
    const person: Person = await prove(latchkey, await register(latchkey));
    const app = await totpOf(latchkey, person, clock);
    const strong = await withBoth(person, app, { rememberDevice: true });
    const { body: weak }: { body: Session } = await login(person, { deviceToken: strong.deviceToken });
    assert.ok(weak.access_token, 'the remembered device is not asked');
    return { person, app, strong, weak };
  };

  const addPasskey = async (session: Pick<Session, 'access_token'>, more: Record<string, unknown> = {}) => {
    const { body } = await me('/security/passkeys/options', session, { body: {} });
    const key = softwareAuthenticator(latchkey.system.config.addresses.test.auth);
    return me('/security/passkeys', session, {
      body: { flowId: body.flowId, response: key.create(body.options), ...more },
    });
  };

  const textedCode = async (phone: string) => /\d{8}/.exec((await lastMessage(latchkey, phone)).text)?.[0];

  const addPhone = async (session: Pick<Session, 'access_token'>, phone: string): Promise<TestResponse> => {
    const { body } = await me('/security/mfa/phone', session, { body: { phone } });
    return me('/security/mfa/phone/confirm', session, { body: { flowId: body.flowId, code: await textedCode(phone) } });
  };

  const forgot = ({ email }: { email: string }) =>
    latchkey.auth('/v1/auth/password/forgot', { body: { identifier: email } });

  /** The token of a reset link in a person's mailbox. */
  const resetLinkOf = async (person: { email: string }): Promise<string> => {
    assert.equal((await forgot(person)).status, 202);
    return mailedToken(latchkey, person.email);
  };

  const reset = (proof: Record<string, unknown>) =>
    latchkey.auth('/v1/auth/password/reset', { body: { newPassword: NEXT_PASSWORD, ...proof } });

  return { forgot, resetLinkOf, reset, me, login, verify, withBoth, protectedPerson, addPasskey, addPhone, textedCode };
}

let phones = 10_000;
export function newPhone(): string {
  phones += 1;
  return `+49151888${phones}`;
}
