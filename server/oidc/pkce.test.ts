import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import * as client from 'openid-client';
import { createApplication, type NewApplication } from '#applications';
import { register, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { browserOf, type CodeFlow, codeFlow, returned, signInOn } from '#tests/oidc.ts';

const REDIRECT = 'http://localhost:5173/callback';

let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey();
});
after(() => latchkey.stop());

const signIn = (flow: CodeFlow, person: { email: string }) => signInOn(latchkey, flow, person);

async function web(values: Partial<NewApplication> = {}) {
  const { clientId, secret } = await latchkey.inProject((tx) =>
    createApplication(tx, { kind: 'web', name: 'Test application', redirectUris: [REDIRECT], ...values }),
  );
  return { clientId, secret: secret ?? undefined };
}

async function authorize(parameters: Record<string, string>) {
  const { url } = await codeFlow(latchkey, parameters);
  return latchkey.auth(url.slice(new URL(url).origin.length), { headers: { accept: 'application/json' } });
}

describe('PKCE', () => {
  test('OA-3 without a challenge, with plain, or with another verifier, no code or token is issued', async () => {
    for (const parameters of [{ code_challenge_method: 'plain' }, { code_challenge: '' }]) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const response = await authorize(parameters);
      assert.equal(
        returned(response.headers.get('location') ?? REDIRECT)['error'] ?? response.body.error,
        'invalid_request',
      );
    }
    const flow = await codeFlow(latchkey);
    const back = await signIn(flow, await register(latchkey));
    await assert.rejects(
      client.authorizationCodeGrant(flow.configuration, new URL(back.url), {
        pkceCodeVerifier: client.randomPKCECodeVerifier(),
        expectedState: flow.parameters.state,
        expectedNonce: flow.parameters.nonce,
      }),
      { error: 'invalid_grant' },
    );
  });

  test('OA-3 a confidential application needs a challenge too, unless an administrator has made it optional', async () => {
    const person = await register(latchkey);
    const refused = await codeFlow(latchkey, { code_challenge: '', code_challenge_method: '' }, await web());
    assert.equal(returned((await browserOf(latchkey).open(refused.url)).url)['error'], 'invalid_request');
    const relaxed = await web({ pkce: 'optional' });
    const bare = await codeFlow(latchkey, { code_challenge: '', code_challenge_method: '' }, relaxed);
    const back = new URL((await signIn(bare, person)).url);
    const { state, nonce } = bare.parameters;
    const checks = { expectedState: state, expectedNonce: nonce };
    const tokens = await client.authorizationCodeGrant(bare.configuration, back, checks);
    assert.equal(tokens.claims()?.sub, person.session.userId);
    // RFC 9700 §4.8.2: a verifier without a challenge, or a challenge without its verifier, is an attack.
    const stripped = await codeFlow(latchkey, { code_challenge: '', code_challenge_method: '' }, relaxed);
    await assert.rejects(stripped.finish(await signIn(stripped, person)), { error: 'invalid_grant' });
    const challenged = await codeFlow(latchkey, {}, relaxed);
    const returnedTo = new URL((await signIn(challenged, person)).url);
    await assert.rejects(
      client.authorizationCodeGrant(challenged.configuration, returnedTo, {
        expectedState: challenged.parameters.state,
        expectedNonce: challenged.parameters.nonce,
      }),
      { error: 'invalid_grant' },
    );
    const plain = await codeFlow(latchkey, { code_challenge_method: 'plain' }, relaxed);
    assert.equal(returned((await browserOf(latchkey).open(plain.url)).url)['error'], 'invalid_request');
  });
});
