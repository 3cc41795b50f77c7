import assert from 'node:assert/strict';
import { rotateKeysNow } from '#keys';
import { grantOf, newApi, newApplication, type TestApi, tokensFor } from '#tests/apis.ts';
import { eventually, PASSWORD, register } from '#tests/harness.ts';
import { type Browser, browserOf } from '#tests/oidc.ts';
import { AUDIENCE, type RelyingParty } from './relying-party.ts';

type Person = Awaited<ReturnType<typeof register>>;
type Call = (path: string) => Promise<{ status: number; url: string; text: string }>;
/** A person's browser, at Latchkey and at the relying party. */
type Visitor = { person: Person; browser: Browser; call: Call };

/** Follows redirects within the relying party, with its cookies. */
function callerOf({ origin }: RelyingParty): Call {
  const jar = new Map<string, string>();
  const call: Call = async (path) => {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(origin + path, { redirect: 'manual', headers: { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      jar.set(name, value);
    }
    const url = new URL(response.headers.get('location') ?? path, origin);
    const text = await response.text();
    if (response.headers.has('location') && url.origin === origin) return call(url.pathname + url.search);
    return { status: response.status, url: url.href, text };
  };
  return call;
}

/** Signs a new person in at the relying party, through the hosted pages. */
async function signIn(party: RelyingParty): Promise<Visitor> {
  const person = await register(party.latchkey, { profile: { displayName: 'Ada' } });
  const browser = browserOf(party.latchkey);
  const call = callerOf(party);
  const left = await call('/sign-in');
  const page = await browser.open(left.url);
  assert.equal(page.status, 200, `${left.url} ${left.text} ${page.url}`);
  const back = await browser.submit(page, { identifier: person.email, password: PASSWORD });
  assert.ok(back.url.startsWith(`${party.origin}/`), `${back.url} ${back.text}`);
  const finished = await call(back.url.slice(party.origin.length));
  assert.ok(finished.status < 400, `${finished.status} ${finished.text}`);
  return { person, browser, call };
}

async function expectSignedIn({ call, person }: Visitor): Promise<void> {
  const me = await call('/me');
  assert.equal(me.status, 200, me.text);
  const { sub, email } = JSON.parse(me.text);
  assert.deepEqual([sub, email], [person.session.userId, person.email]);
}

const expectSignedOut = async ({ call }: Visitor): Promise<void> => assert.equal((await call('/me')).status, 401);

/** The code flow as the library does it by default, then user info. */
export async function expectSignIn(party: RelyingParty): Promise<void> {
  await expectSignedIn(await signIn(party));
}

/** Refreshing gives another access token, twice: the second time with the replaced refresh token. */
export async function expectRefresh(party: RelyingParty): Promise<void> {
  const { call } = await signIn(party);
  for (const time of ['first', 'second']) {
    // biome-ignore lint/performance/noAwaitInLoops: one after the other
    const { status, text } = await call('/refresh');
    assert.deepEqual([time, status, text], [time, 200, '{"changed":true}']);
  }
}

/** RP-initiated logout ends the program's session and the one at Latchkey, and comes back. */
export async function expectSignOut(party: RelyingParty): Promise<void> {
  const visitor = await signIn(party);
  const left = await visitor.call('/sign-out');
  assert.match(left.url, /\/connect\/logout\?/, left.text);
  const back = await visitor.browser.open(left.url);
  assert.ok(back.url.startsWith(`${party.origin}/`), `signed out without a question: ${back.url} ${back.text}`);
  await expectSignedOut(visitor);
  const again = await visitor.browser.open((await visitor.call('/sign-in')).url);
  assert.match(again.text, /name="identifier"/);
}

/** A session that is ended at Latchkey ends at the program, and only that person's. */
export async function expectBackChannelLogout(party: RelyingParty): Promise<void> {
  const [visitor, bystander] = [await signIn(party), await signIn(party)];
  const { latchkey } = party;
  const token = visitor.person.access_token;
  const { body } = await latchkey.api('/v1/me/security/sessions', { token });
  const hosted = body.items.find(({ current }: { current: boolean }) => !current);
  await latchkey.api(`/v1/me/security/sessions/${hosted.id}`, { method: 'DELETE', token });
  await eventually(() => expectSignedOut(visitor));
  await expectSignedIn(bystander);
}

/** The program's API accepts an access token for its audience, none for another, and no ID token. */
export async function expectAudience({ latchkey, origin }: RelyingParty): Promise<void> {
  const [own, other] = [await newApi(latchkey, { identifier: AUDIENCE }), await newApi(latchkey)];
  const application = await newApplication(latchkey, { apis: [grantOf(own), grantOf(other)] });
  const person = await register(latchkey);
  const statusWith = async (token = '') =>
    (await fetch(`${origin}/api`, { headers: { authorization: `Bearer ${token}` } })).status;
  const signedInFor = async ({ identifier: resource }: TestApi) =>
    (await tokensFor(latchkey, application, person, { parameters: { resource } })).tokens;
  const [right, wrong] = [await signedInFor(own), await signedInFor(other)];
  assert.equal(await statusWith(right.access_token), 200);
  assert.equal(await statusWith(wrong.access_token), 401);
  assert.equal(await statusWith(right.id_token), 401);
}

/** After an emergency rotation the program accepts tokens of the new key. */
export async function expectRotationSurvived(party: RelyingParty): Promise<void> {
  const before = await signIn(party);
  await rotateKeysNow(party.latchkey.system, 'test', []);
  await expectSignedIn(await signIn(party));
  await expectSignedIn(before);
}
