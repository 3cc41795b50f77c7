import assert from 'node:assert/strict';
import { Secret, TOTP } from 'otpauth';
import type { TestClock, TestLatchkey, TestResponse } from './harness.ts';

type Person = { access_token: string };

/** An authenticator app with its secret. */
export type App = { id: string; secret: string; code: () => string; recoveryCodes: string[] };

/** Sets up an authenticator app for a signed-in person. Its codes follow the clock. */
export async function totpOf(latchkey: TestLatchkey, { access_token: token }: Person, clock: TestClock): Promise<App> {
  const begun = await latchkey.api('/v1/me/security/mfa/totp', { token, method: 'POST', body: {} });
  assert.equal(begun.status, 200, begun.text);
  const code = codesOf(begun.body.secret, clock);
  const confirmed = await latchkey.api('/v1/me/security/mfa/totp/confirm', {
    token,
    body: { id: begun.body.id, code: code() },
  });
  assert.equal(confirmed.status, 200, confirmed.text);
  // The confirming code is spent; the next period has another one.
  clock.advance(30_000);
  return { id: begun.body.id, secret: begun.body.secret, code, recoveryCodes: confirmed.body.recoveryCodes ?? [] };
}

/** @returns a function that gives the current code */
export function codesOf(secret: string, clock: Pick<TestClock, 'now'>): () => string {
  const totp = new TOTP({ secret: Secret.fromBase32(secret), digits: 6, period: 30 });
  return () => totp.generate({ timestamp: clock.now().getTime() });
}

/** The MFA challenge of a sign-in response. */
export function challengeIn(response: TestResponse): { mfaToken: string; factors: { type: string; id: string }[] } {
  assert.equal(response.body.status, 'mfa_required', response.text);
  return response.body;
}
