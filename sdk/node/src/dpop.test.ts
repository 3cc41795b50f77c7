import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, before, describe, test } from 'node:test';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { machineToken, newApi, newMachine, type TestApi } from '../../../server/tests/apis.ts';
import { startTestLatchkey, type TestLatchkey } from '../../../server/tests/harness.ts';
import { requireToken as expressToken } from './express.ts';
import { requireToken as fastifyToken } from './fastify.ts';
import { requireToken as honoToken } from './hono.ts';
import { InvalidTokenError, type PresentedProof, tokenVerifier, type Verifier, type VerifierOptions } from './index.ts';

const ORDERS = 'https://orders.example.com';

type Key = { privateKey: CryptoKey; publicKey: CryptoKey };

let latchkey: TestLatchkey;
let api: TestApi;
let key: Key;
/** A token that is bound to the key. */
let bound: string;
let bearer: string;
before(async () => {
  latchkey = await startTestLatchkey();
  api = await newApi(latchkey);
  key = await generateKeyPair('ES256');
  const machine = await newMachine(latchkey, api, 'orders:read');
  bearer = (await machineToken(latchkey, machine, { resource: api.identifier })).body.access_token;
  const { auth } = latchkey.system.config.addresses.test;
  const dpop = await proofOf({ htm: 'POST', htu: `${auth}/connect/token`, ath: undefined });
  const { body } = await machineToken(latchkey, machine, { resource: api.identifier }, { dpop });
  assert.equal(body.token_type, 'DPoP');
  bound = body.access_token;
});
after(() => latchkey.stop());

function verifier(more: Partial<VerifierOptions> = { dpop: { url: ORDERS } }): Verifier {
  const issuer = latchkey.system.config.addresses.test.auth;
  return tokenVerifier({ issuer, audience: api.identifier, projectId: latchkey.demo.projects[0]?.id ?? '', ...more });
}

/** A proof for `GET /orders` with the bound token; `changes` replace claims or (undefined) leave them out. */
async function proofOf(
  changes: Record<string, unknown> = {},
  header: object = {},
  { privateKey, publicKey } = key,
): Promise<string> {
  const claims = {
    jti: crypto.randomUUID(),
    iat: Math.floor(Date.now() / 1000),
    htm: 'GET',
    htu: `${ORDERS}/orders`,
    ath: bound && hash('sha256', bound, 'base64url'),
    ...changes,
  };
  return new SignJWT(claims)
    .setProtectedHeader({ typ: 'dpop+jwt', alg: 'ES256', jwk: await exportJWK(publicKey), ...header })
    .sign(privateKey);
}

const presented = (proof: string, more: Partial<PresentedProof> = {}): PresentedProof => ({
  ...{ proof, method: 'GET', path: '/orders?page=2' },
  ...more,
});

describe('a verifier of tokens that are bound to a key', () => {
  test('takes a token with a proof of its key, which it takes once', async () => {
    const verify = verifier();
    const proof = await proofOf();
    const { subject } = await verify(bound, presented(proof));
    assert.match(subject, /\./);
    await assert.rejects(verify(bound, presented(proof)), /used before/);
    assert.ok(await verify(bound, presented(await proofOf())));
  });

  test('takes one of twenty parallel uses of a proof', async () => {
    const verify = verifier();
    const proof = await proofOf();
    const taken = await Promise.allSettled(Array.from({ length: 20 }, () => verify(bound, presented(proof))));
    assert.equal(taken.filter(({ status }) => status === 'fulfilled').length, 1);
  });

  test('asks who remembers proofs for several processes', async () => {
    const asked: [string, number][] = [];
    const spend = async (id: string, seconds: number) => asked.push([id, seconds]) === 1;
    const verify = verifier({ dpop: { url: ORDERS, spend } });
    assert.ok(await verify(bound, presented(await proofOf())));
    await assert.rejects(verify(bound, presented(await proofOf())), /used before/);
    assert.deepEqual(
      asked.map(([id, seconds]) => [id.length, seconds]),
      [
        [43, 600],
        [43, 600],
      ],
    );
  });

  test('knows the address of an API below a path, and compares without query', async () => {
    const verify = verifier({ dpop: { url: 'https://example.com/shop/' } });
    const proof = await proofOf({ htu: 'HTTPS://EXAMPLE.com:443/shop/orders?x=1' });
    assert.ok(await verify(bound, presented(proof)));
    await assert.rejects(verify(bound, presented(await proofOf({ htu: 'https://example.com/orders' }))), /htu/);
  });

  test('refuses every other proof, and says why', async () => {
    const verify = verifier();
    const other = await generateKeyPair('ES256');
    const seconds = Math.floor(Date.now() / 1000);
    const [head = '', , signature = ''] = (await proofOf()).split('.');
    const changed = Buffer.from(JSON.stringify({ jti: 'x', iat: seconds })).toString('base64url');
    const refused: [RegExp, Promise<string>, Partial<PresentedProof>?][] = [
      [/header is missing/, Promise.resolve('')],
      [/not signed/, Promise.resolve('no.proof.here')],
      [/not signed/, Promise.resolve(`${head}.${changed}.${signature}`)],
      [/not signed/, proofOf({}, { typ: 'JWT' })],
      [/not signed/, proofOf({}, { jwk: undefined })],
      [/not signed/, proofOf({}, { jwk: await exportJWK(other.publicKey) })],
      [/not signed/, proofOf({ ath: undefined })],
      [/not signed/, proofOf({ jti: undefined })],
      [/not signed/, proofOf({ iat: 'now' })],
      [/not recent/, proofOf({ iat: seconds - 400 })],
      [/not recent/, proofOf({ iat: seconds + 400 })],
      [/htm/, proofOf(), { method: 'POST' }],
      [/htu/, proofOf(), { path: '/refunds' }],
      [/htu/, proofOf({ htu: 'orders' })],
      [/htu/, proofOf({ htu: 'https://elsewhere.example/orders' })],
      [/ath/, proofOf({ ath: hash('sha256', bearer, 'base64url') })],
      [/another key/, proofOf({}, {}, other)],
    ];
    await Promise.all(
      refused.map(async ([why, proof, more]) =>
        assert.rejects(verify(bound, presented(await proof, more)), (error) => {
          assert.ok(error instanceof InvalidTokenError);
          assert.match(error.message, why);
          assert.equal(error.code, 'invalid_dpop_proof');
          return true;
        }),
      ),
    );
  });

  test('takes a bound token as DPoP alone, another one as Bearer alone, and none where proofs are not taken', async () => {
    const verify = verifier();
    assert.ok(await verify(bearer));
    await assert.rejects(verify(bound), /bound to a key; send it as DPoP/);
    await assert.rejects(verify(bearer, presented(await proofOf())), /bound to no key; send it as Bearer/);
    const without = verifier({});
    await assert.rejects(without(bound), /is no bearer token/);
    await assert.rejects(without(bound, presented(await proofOf())), /is no bearer token/);
  });
});

/** Servers that take DPoP, below a router where the framework has one. */
const servers: Record<string, (verify: Verifier) => Promise<{ url: string; close: () => unknown }>> = {
  Express: async (verify) => {
    const router = express.Router().get('/', expressToken(verify), (_, response) => {
      response.end();
    });
    const server = createServer(express().use('/orders', router)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return { url: `http://127.0.0.1:${Object(server.address()).port}`, close: () => server.close() };
  },
  Fastify: async (verify) => {
    const app = fastify();
    app.register(
      (orders, _, done) => {
        orders.get('/', { onRequest: fastifyToken(verify) }, () => '');
        done();
      },
      { prefix: '/orders' },
    );
    return { url: await app.listen({ host: '127.0.0.1', port: 0 }), close: () => app.close() };
  },
};

describe('middleware', () => {
  const challengeOf = ({ headers }: Response) => headers.get('www-authenticate');

  for (const [framework, start] of Object.entries(servers))
    test(`of ${framework} checks the proof of a request at the address that clients use`, async (t) => {
      const { url, close } = await start(verifier());
      t.after(close);
      const ask = (authorization: string, dpop: string) =>
        fetch(`${url}/orders?page=2`, { headers: { authorization, dpop, connection: 'close' } });
      assert.equal((await ask(`DPoP ${bound}`, await proofOf())).status, 200);
      const refused = await ask(`DPoP ${bound}`, await proofOf({ htu: `${ORDERS}/` }));
      assert.equal(refused.status, 401);
      assert.equal(challengeOf(refused), 'DPoP algs="ES256 PS256 EdDSA", error="invalid_dpop_proof"');
      const asBearer = await ask(`Bearer ${bound}`, await proofOf());
      assert.deepEqual([asBearer.status, challengeOf(asBearer)], [401, 'Bearer error="invalid_token"']);
    });

  test('asks for a larger scope in the scheme of the token', async () => {
    const required = { scope: 'orders:write' };
    const app = new Hono().get('/orders', honoToken(verifier(), required), (context) => context.text(''));
    const ask = async (authorization: string, dpop: string) =>
      app.request('/orders', { headers: { authorization, dpop } });
    const asked = [await ask(`DPoP ${bound}`, await proofOf()), await ask(`Bearer ${bearer}`, '')];
    assert.deepEqual(
      asked.map((response) => [response.status, challengeOf(response)]),
      ['DPoP', 'Bearer'].map((scheme) => [403, `${scheme} error="insufficient_scope", scope="orders:write"`]),
    );
  });

  test('of Hono, too', async () => {
    const app = new Hono().get('/orders', honoToken(verifier()), (context) => context.text(''));
    const ask = async (dpop: string) => app.request('/orders', { headers: { authorization: `DPoP ${bound}`, dpop } });
    assert.equal((await ask(await proofOf())).status, 200);
    assert.equal((await ask(await proofOf({ htm: 'POST' }))).status, 401);
  });
});
