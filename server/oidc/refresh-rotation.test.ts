import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import * as client from 'openid-client';
import { createApplication, type NewApplication } from '#applications';
import { register, startTestLatchkey, TestClock, type TestLatchkey } from '#tests/harness.ts';
import { type CodeFlow, codeFlow, signInOn } from '#tests/oidc.ts';

const REDIRECT = 'http://localhost:5173/callback';

const clock = new TestClock();
let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey({ clock });
});
after(() => latchkey.stop());

/** Signs a new person in; by default at the demo's application, which is public. */
async function signedIn(kind: NewApplication['kind'] = 'spa') {
  const { clientId, secret } = await latchkey.inProject((tx) =>
    createApplication(tx, { kind, name: 'Refreshing', redirectUris: [REDIRECT] }),
  );
  const flow = await codeFlow(latchkey, {}, { clientId, ...(secret && { secret }) });
  const tokens = await flow.finish(await signInOn(latchkey, flow, await register(latchkey)));
  return { flow, token: tokens.refresh_token ?? '' };
}

const refresh = async ({ configuration }: CodeFlow, token: string) => client.refreshTokenGrant(configuration, token);
const REFUSED = { error: 'invalid_grant' };

describe('OA-7 a refresh token is replaced at each use', () => {
  test('a public client that lost the response gets the same new token again', async () => {
    const { flow, token } = await signedIn();
    const lost = await refresh(flow, token);
    assert.notEqual(lost.refresh_token, token);
    const repeated = await refresh(flow, token);
    assert.equal(repeated.refresh_token, lost.refresh_token);
    assert.notEqual(repeated.access_token, lost.access_token);
    clock.advance(60_000);
    assert.ok((await refresh(flow, repeated.refresh_token ?? '')).refresh_token);
  });

  test('concurrent refreshes of a public client replace the token once, and all get the new one', async () => {
    const { flow, token } = await signedIn();
    const all = await Promise.all(Array.from({ length: 8 }, () => refresh(flow, token)));
    assert.equal(new Set(all.map(({ refresh_token: next }) => next)).size, 1);
    assert.ok(await refresh(flow, all[0]?.refresh_token ?? ''));
  });

  test('after the grace time a second use ends the grant', async () => {
    const { flow, token } = await signedIn();
    const next = await refresh(flow, token);
    clock.advance(12_000);
    await assert.rejects(refresh(flow, token), REFUSED);
    await assert.rejects(refresh(flow, next.refresh_token ?? ''), REFUSED);
  });

  test('a second use after the new token was used ends the grant at once', async () => {
    const { flow, token } = await signedIn();
    const next = await refresh(flow, token);
    const latest = await refresh(flow, next.refresh_token ?? '');
    await assert.rejects(refresh(flow, token), REFUSED);
    await assert.rejects(refresh(flow, latest.refresh_token ?? ''), REFUSED);
  });

  test('a confidential client with several servers gets the same new token, and loses the grant after the grace time', async () => {
    const { flow, token } = await signedIn('web');
    const all = await Promise.all(Array.from({ length: 8 }, () => refresh(flow, token)));
    const [next = '', ...others] = new Set(all.map(({ refresh_token: successor }) => successor ?? ''));
    assert.deepEqual(others, []);
    clock.advance(12_000);
    await assert.rejects(refresh(flow, token), REFUSED);
    await assert.rejects(refresh(flow, next), REFUSED);
  });

  test('another client gets nothing for it, and a used token is not active', async () => {
    const { flow, token } = await signedIn();
    const next = await refresh(flow, token);
    const other = await signedIn();
    await assert.rejects(refresh(other.flow, token), REFUSED);
    assert.equal((await client.tokenIntrospection(flow.configuration, token)).active, false);
    assert.ok((await refresh(flow, next.refresh_token ?? '')).refresh_token);
  });
});
