import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose';
import * as client from 'openid-client';
import {
  expectProblem,
  managementToken,
  PASSWORD,
  register,
  startTestLatchkey,
  type TestLatchkey,
} from '#tests/harness.ts';
import { browserOf, codeFlow } from '#tests/oidc.ts';

const REDIRECT = 'http://localhost:5173/callback';

let latchkey: TestLatchkey;
let admin: string;
before(async () => {
  latchkey = await startTestLatchkey();
  admin = await managementToken(latchkey);
});
after(() => latchkey.stop());

type KeyPair = { publicKey: CryptoKey; privateKey: CryptoKey };

/** What is wrong with a DPoP proof. */
type Wrong = {
  claims?: Record<string, unknown>;
  header?: Record<string, unknown>;
  keys?: KeyPair;
  scheme?: string;
  without?: 'proof';
};

/** The headers of a request to switch-context with a DPoP proof. */
async function withProof(token: string, keys: KeyPair, wrong: Wrong = {}): Promise<Record<string, string>> {
  const { publicKey, privateKey } = wrong.keys ?? keys;
  const claims = {
    jti: crypto.randomUUID(),
    iat: Math.floor(Date.now() / 1000),
    htm: 'POST',
    htu: `${latchkey.system.config.addresses.test.auth}/v1/sessions/switch-context`,
    ath: createHash('sha256').update(token).digest('base64url'),
    ...wrong.claims,
  };
  const header = { alg: 'ES256', typ: 'dpop+jwt', jwk: await exportJWK(publicKey), ...wrong.header };
  const proof = await new SignJWT(claims).setProtectedHeader(header).sign(privateKey);
  const authorization = `${wrong.scheme ?? 'DPoP'} ${token}`;
  return { authorization, ...(wrong.without !== 'proof' && { dpop: proof }) };
}

const newKeys = () => generateKeyPair('ES256', { extractable: true });
const enter = (headers: Record<string, string>) =>
  latchkey.auth('/v1/sessions/switch-context', {
    headers,
    body: {
      workspaceId: latchkey.demo.workspaceId,
      projectId: latchkey.demo.projects[0]?.id,
      environment: 'test',
    },
  });

/** Signs a new person in to an application, and consents to what it requests. */
async function signedIn(firstParty: boolean, changes: Record<string, unknown> = {}) {
  const { body, text } = await latchkey.api('/v1/admin/applications', {
    token: admin,
    body: { kind: 'web', name: 'Partner', redirectUris: [REDIRECT], firstParty, ...changes },
  });
  assert.ok(body.clientId, text);
  const browser = browserOf(latchkey);
  const flow = await codeFlow(latchkey, {}, { clientId: body.clientId, secret: body.secret });
  const { email: identifier } = await register(latchkey);
  const page = await browser.submit(await browser.open(flow.url), { identifier, password: PASSWORD });
  const back = page.url.startsWith(REDIRECT) ? page : await browser.submit(page, { decision: 'allow' });
  return { flow, back };
}

async function boundToken(firstParty: boolean): Promise<{ token: string; keys: KeyPair }> {
  const { flow, back } = await signedIn(firstParty, { dpopBound: true });
  const keys = await newKeys();
  const { code_verifier, state, nonce } = flow.parameters;
  const tokens = await client.authorizationCodeGrant(
    flow.configuration,
    new URL(back.url),
    { pkceCodeVerifier: code_verifier, expectedState: state, expectedNonce: nonce },
    undefined,
    { DPoP: client.getDPoPHandle(flow.configuration, keys) },
  );
  assert.equal(tokens.token_type, 'dpop');
  return { token: tokens.access_token, keys };
}

/** Every possible fault of a proof. */
async function faults(keys: KeyPair): Promise<Wrong[]> {
  const { auth } = latchkey.system.config.addresses.test;
  const now = Math.floor(Date.now() / 1000);
  const other = await newKeys();
  return [
    { without: 'proof' },
    { scheme: 'Bearer' },
    { scheme: 'Bearer', without: 'proof' },
    { keys: other },
    { header: { jwk: await exportJWK(other.publicKey) } },
    { header: { jwk: await exportJWK(keys.privateKey) } },
    { header: { jwk: undefined } },
    { header: { typ: 'JWT' } },
    { claims: { htm: 'GET' } },
    { claims: { htu: 'https://elsewhere.example/v1/sessions/switch-context' } },
    { claims: { htu: `${auth}/connect/userinfo` } },
    { claims: { ath: createHash('sha256').update('another').digest('base64url') } },
    { claims: { iat: now - 3_600 } },
    { claims: { iat: now + 3_600 } },
    ...['jti', 'iat', 'htm', 'htu', 'ath'].map((name) => ({ claims: { [name]: undefined } })),
  ];
}

describe('a token that is bound to a key', () => {
  test('is exchanged for a session with a proof of the key, once per proof', async () => {
    const { token, keys } = await boundToken(true);
    const response = await enter(await withProof(token, keys));
    assert.equal(response.status, 200, response.text);
    assert.equal((await latchkey.api('/v1/me/context', { token: response.body.access_token })).status, 200);
    const once = await withProof(token, keys);
    const responses = await Promise.all(Array.from({ length: 10 }, () => enter(once)));
    assert.equal(responses.filter(({ status }) => status === 200).length, 1);
    const replayed = responses.find(({ status }) => status !== 200);
    assert.ok(replayed);
    expectProblem(replayed, 401, 'AUTHENTICATION_REQUIRED');
  });

  test('opens userinfo once per proof, whatever client the query names', async () => {
    const { token, keys } = await boundToken(true);
    const address = `${latchkey.system.config.addresses.test.auth}/connect/userinfo`;
    const once = await withProof(token, keys, { claims: { htm: 'GET', htu: address } });
    const responses = await Promise.all(
      ['', '?client_id=aaaaaaaa.x', '?client_id=bbbbbbbb.x', '?client_id=lkx_cccccccc_x'].map((query) =>
        fetch(address + query, { headers: once }),
      ),
    );
    assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 401, 401, 401]);
  });

  test('is refused if the proof is missing or wrong, with a DPoP challenge', async () => {
    const { token, keys } = await boundToken(true);
    for (const fault of await faults(keys)) {
      // biome-ignore lint/performance/noAwaitInLoops: sequential on purpose
      const response = await enter(await withProof(token, keys, fault));
      assert.equal(response.status, 401, JSON.stringify(fault));
      expectProblem(response, 401, 'AUTHENTICATION_REQUIRED');
      assert.match(response.headers.get('www-authenticate') ?? '', /^DPoP /, JSON.stringify(fault));
    }
    assert.equal((await enter(await withProof(token, keys))).status, 200);
  });

  test('of a third party opens no session, even with the right proof', async () => {
    const { token, keys } = await boundToken(false);
    expectProblem(await enter(await withProof(token, keys)), 403, 'WRONG_TOKEN_KIND');
  });

  test('is required only for bound tokens; others are sent as Bearer', async () => {
    const { flow, back } = await signedIn(true);
    const tokens = await flow.finish(back);
    const { access_token: session } = await register(latchkey);
    for (const token of [tokens.access_token, session]) {
      // biome-ignore lint/performance/noAwaitInLoops: sequential on purpose
      const response = await enter(await withProof(token, await newKeys()));
      expectProblem(response, 401, 'AUTHENTICATION_REQUIRED');
    }
  });
});
