import assert from 'node:assert/strict';
import { Secret, TOTP } from 'otpauth';
import type { TestClock, TestLatchkey, TestResponse } from './harness.ts';

type Person = { access_token: string };

/** An authenticator app that knows a secret. */
export type App = { id: string; secret: string; code: () => string; recoveryCodes: string[] };

/** Sets an authenticator app up for a signed-in person. Its codes are those of the clock's time. */
export async function totpOf(latchkey: TestLatchkey, { access_token: token }: Person, clock: TestClock): Promise<App> {
  const begun = await latchkey.api('/v1/me/security/mfa/totp', { token, method: 'POST', body: {} });
  assert.equal(begun.status, 200, begun.text);
  const code = codesOf(begun.body.secret, clock);
  const confirmed = await latchkey.api('/v1/me/security/mfa/totp/confirm', {
    token,
    body: { id: begun.body.id, code: code() },
  });
  assert.equal(confirmed.status, 200, confirmed.text);
  // The code that confirmed is spent; the next one is another.
  clock.advance(30_000);
  return { id: begun.body.id, secret: begun.body.secret, code, recoveryCodes: confirmed.body.recoveryCodes ?? [] };
}

/** @returns tells the code of the moment */
export function codesOf(secret: string, clock: TestClock): () => string {
  const totp = new TOTP({ secret: Secret.fromBase32(secret), digits: 6, period: 30 });
  return () => totp.generate({ timestamp: clock.now().getTime() });
}

/** The challenge of a sign-in that asks for a second factor. */
export function challengeIn(answer: TestResponse): { mfaToken: string; factors: { type: string; id: string }[] } {
  assert.equal(answer.body.status, 'mfa_required', answer.text);
  return answer.body;
}
