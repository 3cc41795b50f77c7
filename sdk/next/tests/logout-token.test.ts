import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createLocalJWKSet, exportJWK, exportSPKI, generateKeyPair, SignJWT } from 'jose';
import { end, endedInMemory } from '../src/ended.ts';
import { InvalidLogoutToken, readLogoutToken } from '../src/logout-token.ts';

const ISSUER = 'https://auth.example.com';
const CLIENT = 'app_1';
const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
const pair = await generateKeyPair('RS256', { extractable: true });
const keys = createLocalJWKSet({ keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'one', alg: 'RS256' }] });
const read = (token: string) => readLogoutToken(token, { keys, issuer: ISSUER, clientId: CLIENT });

const now = () => Math.floor(Date.now() / 1000);
const claims = () => ({
  iss: ISSUER,
  aud: CLIENT,
  sub: 'usr_1',
  sid: 'sid_1',
  iat: now(),
  exp: now() + 120,
  jti: 'jti_1',
  events: { [EVENT]: {} },
});
const signed = (
  changes: object = {},
  header: object = {},
  key: typeof pair.privateKey | Uint8Array = pair.privateKey,
) =>
  new SignJWT({ ...claims(), ...changes })
    .setProtectedHeader({ alg: 'RS256', typ: 'logout+jwt', kid: 'one', ...header })
    .sign(key);

describe('a logout token', () => {
  test('names the session that has ended', async () => {
    const { sid, jti, exp } = await read(await signed());
    assert.deepEqual([sid, jti], ['sid_1', 'jti_1']);
    assert.ok(exp > now());
    assert.equal((await read(await signed({ aud: ['app_2', CLIENT] }))).sid, 'sid_1');
  });

  test('is refused for another application or issuer, another event, a nonce, without a session, old, or with another key', async () => {
    const other = await generateKeyPair('RS256');
    const asSecret = new TextEncoder().encode(await exportSPKI(pair.publicKey));
    const unsigned = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const refused: Record<string, string> = {
      'another audience': await signed({ aud: 'app_2' }),
      'no audience': await signed({ aud: undefined }),
      'another issuer': await signed({ iss: 'https://evil.example' }),
      'an ID token': await signed({ events: undefined, nonce: 'n' }, { typ: 'JWT' }),
      'an ID token that says it is another': await signed({ events: undefined, jti: undefined }),
      'an access token': await signed({}, { typ: 'at+jwt' }),
      'no type': await signed({}, { typ: undefined }),
      'another event': await signed({ events: { 'http://schemas.openid.net/event/other': {} } }),
      'an event that is no object': await signed({ events: { [EVENT]: 'yes' } }),
      'a nonce': await signed({ nonce: 'n' }),
      'an empty nonce': await signed({ nonce: '' }),
      'no session': await signed({ sid: undefined }),
      'a session that is no text': await signed({ sid: { $ne: '' } }),
      'no jti': await signed({ jti: undefined }),
      'no iat': await signed({ iat: undefined }),
      'no exp': await signed({ exp: undefined }),
      expired: await signed({ iat: now() - 300, exp: now() - 180 }),
      'old, with a long life': await signed({ iat: now() - 3_600, exp: now() + 3_600 }),
      'of the future': await signed({ iat: now() + 600, exp: now() + 700 }),
      'signed by another key': await signed({}, {}, other.privateKey),
      'signed by a key that is not published': await signed({}, { kid: 'two' }, other.privateKey),
      'signed with the public key as a secret': await signed({}, { alg: 'HS256' }, asSecret),
      unsigned: `${unsigned({ alg: 'none', typ: 'logout+jwt' })}.${unsigned(claims())}.`,
      nothing: '',
      'no token': 'a.b.c',
    };
    const accepted = await Promise.all(
      Object.entries(refused).map(async ([name, token]) => {
        const failure = await read(token).then(
          () => null,
          (error: unknown) => error,
        );
        return failure instanceof InvalidLogoutToken ? [] : [name, failure];
      }),
    );
    assert.deepEqual(accepted.flat(), []);
  });

  test('is taken once, also by two at once', async () => {
    const logout = await read(await signed({ jti: 'jti_2', sid: 'sid_2' }));
    const ended = endedInMemory();
    const taken = await Promise.all([end(ended, logout), end(endedInMemory(), logout), end(ended, logout)]);
    assert.deepEqual(taken, [true, false, false]);
    assert.equal(await endedInMemory().has('sid sid_2'), true, 'pages and proxy share the memory of the process');
    assert.equal(await ended.has('sid sid_3'), false);
  });
});
