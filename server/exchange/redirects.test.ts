import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createApplication } from '#applications';
import { newEmail, PKCE, register, startTestLatchkey, type TestLatchkey, type TestResponse } from '#tests/harness.ts';

const WEB = 'https://shop.example.com/callback';
const LOOPBACK = 'http://127.0.0.1:5000/back';

let latchkey: TestLatchkey;
let token: string;
let clients: Record<'web' | 'native', string>;
before(async () => {
  latchkey = await startTestLatchkey();
  ({ access_token: token } = await register(latchkey));
  const make = async (kind: 'web' | 'native', redirectUri: string) =>
    (await latchkey.inProject((tx) => createApplication(tx, { kind, name: kind, redirectUris: [redirectUri] })))
      .clientId;
  clients = { web: await make('web', WEB), native: await make('native', LOOPBACK) };
});
after(() => latchkey.stop());

type Ask = (clientId: string, redirectUri: string) => Promise<TestResponse>;

/** The flows that send a browser, with a code that is exchanged for a session, to an address that the caller names. */
const users: Record<string, Ask> = {
  'sign-in at a provider': (clientId, redirectUri) =>
    latchkey.auth(
      `/v1/auth/login/social/dev/start?${new URLSearchParams({ clientId, redirectUri, codeChallenge: PKCE.codeChallenge })}`,
    ),
  'a magic link': (clientId, redirectUri) =>
    latchkey.auth('/v1/auth/login/magic-link', { body: { email: newEmail(), clientId, redirectUri } }),
  'linking an identity': (clientId, redirectUri) =>
    latchkey.api('/v1/me/linked-identities', { token, body: { provider: 'dev', clientId, redirectUri } }),
};

/**
 * RFC 9700 §4.1: an address that is not an exact match is refused. RFC 8252 §7.3: only the port of a native
 * application's loopback address may differ.
 */
const web: Record<string, string> = {
  'a suffix': `${WEB}/more`,
  'a suffix without a slash': `${WEB}x`,
  'a trailing slash': `${WEB}/`,
  'a prefix': WEB.slice(0, -1),
  'another case of the path': WEB.replace('callback', 'Callback'),
  'another case of the host': WEB.replace('shop', 'SHOP'),
  'another scheme': WEB.replace('https:', 'http:'),
  'a port': WEB.replace('.com', '.com:8443'),
  'the default port': WEB.replace('.com', '.com:443'),
  'a subdomain': WEB.replace('shop', 'evil.shop'),
  'the host as a prefix': WEB.replace('.com', '.com.evil.example'),
  'the host as user': WEB.replace('.com', '.com@evil.example'),
  'user and password': WEB.replace('//', '//user:password@'),
  'a query': `${WEB}?next=https://evil.example`,
  'a fragment': `${WEB}#x`,
  'a path that is walked back': `${WEB}/../callback`,
  'an encoded letter': WEB.replace('callback', '%63allback'),
  'a backslash': WEB.replace('.com/', '.com\\@evil.example/'),
  'a space before it': ` ${WEB}`,
  'another loopback port': LOOPBACK.replace('5000', '6000'),
};
const native: Record<string, string> = {
  'another name of the loopback address': LOOPBACK.replace('127.0.0.1', 'localhost'),
  'another loopback address': LOOPBACK.replace('127.0.0.1', '127.0.0.2'),
  'the loopback address over IPv6': LOOPBACK.replace('127.0.0.1', '[::1]'),
  'another path': `${LOOPBACK}/more`,
  'a query on loopback': `${LOOPBACK}?x=1`,
  'https on loopback': LOOPBACK.replace('http:', 'https:'),
  'a user on loopback': LOOPBACK.replace('127', 'user@127'),
  'loopback as user': LOOPBACK.replace(':5000', ':5000@evil.example'),
};

const isRefused = ({ status, body }: TestResponse) =>
  status === 400 &&
  body.errorCode === 'VALIDATION_FAILED' &&
  JSON.stringify(body.errors ?? '').includes('/body/redirectUri');

for (const [user, ask] of Object.entries(users))
  describe(`the redirect address of ${user}`, () => {
    test('is accepted when it is exactly the registered one, on loopback with any port for a native application', async () => {
      const taken = [
        await ask(clients.web, WEB),
        await ask(clients.native, LOOPBACK),
        await ask(clients.native, LOOPBACK.replace('5000', '61023')),
      ];
      for (const response of taken) assert.ok(response.status < 400, `${response.status} ${response.text}`);
    });

    for (const [what, redirectUri] of Object.entries(web))
      test(`is refused with ${what}`, async () => {
        const response = await ask(clients.web, redirectUri);
        assert.ok(isRefused(response), `${response.status} ${response.text}`);
      });

    for (const [what, redirectUri] of Object.entries(native))
      test(`is refused with ${what}, for a native application, too`, async () => {
        const response = await ask(clients.native, redirectUri);
        assert.ok(isRefused(response), `${response.status} ${response.text}`);
      });
  });
