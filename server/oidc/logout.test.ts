import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { decodeJwt } from 'jose';
import * as client from 'openid-client';
import { createApplication, type NewApplication } from '#applications';
import type { Scope } from '#platform/ctx.ts';
import { eventually, PASSWORD, register, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { type Browser, browserOf, codeFlow, signInOn } from '#tests/oidc.ts';

const REDIRECT = 'http://localhost:5173/callback';
const BYE = 'http://localhost:5173/bye';

let latchkey: TestLatchkey;
let receiver: ReturnType<typeof createServer>;
let address = '';
/** The logout tokens that each path received. */
const received = new Map<string, string[]>();

before(async () => {
  latchkey = await startTestLatchkey();
  receiver = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const token = new URLSearchParams(Buffer.concat(chunks).toString()).get('logout_token') ?? '';
    received.set(request.url ?? '', [...(received.get(request.url ?? '') ?? []), token]);
    response.writeHead(200).end();
  });
  await once(receiver.listen(0, '127.0.0.1'), 'listening');
  const at = receiver.address();
  assert.ok(at !== null && typeof at === 'object');
  address = `http://127.0.0.1:${at.port}`;
});
after(async () => {
  await latchkey.stop();
  receiver.closeAllConnections();
  receiver.close();
});

/** Adds an application that receives logouts at its own path. */
async function subscriber(path: string, values: Partial<NewApplication> = {}, scope: Partial<Scope> = {}) {
  const { clientId } = await latchkey.inProject(
    (tx) =>
      createApplication(tx, {
        kind: 'spa',
        name: `Application ${path}`,
        redirectUris: [REDIRECT],
        postLogoutRedirectUris: [BYE],
        backchannelLogoutUri: `${address}${path}`,
        ...values,
      }),
    scope,
  );
  return clientId;
}

/** Signs a person in at an application, with the browser's session if there is one. */
async function use(browser: Browser, person: { email: string }, clientId: string) {
  const flow = await codeFlow(latchkey, {}, { clientId });
  const page = await browser.open(flow.url);
  const signedIn = page.url.startsWith(REDIRECT);
  const back = signedIn ? page : await browser.submit(page, { identifier: person.email, password: PASSWORD });
  return { flow, tokens: await flow.finish(back) };
}

/** Without a hint, so the person is asked. */
async function askToSignOut(browser: Browser, { flow }: Awaited<ReturnType<typeof use>>) {
  return browser.open(client.buildEndSessionUrl(flow.configuration, { post_logout_redirect_uri: BYE }).href);
}

async function signOutByHint(browser: Browser, { flow, tokens }: Awaited<ReturnType<typeof use>>) {
  const asked = { id_token_hint: tokens.id_token ?? '', post_logout_redirect_uri: BYE, state: 'there' };
  return browser.open(client.buildEndSessionUrl(flow.configuration, asked).href);
}

/** How many notifications are queued for each address, in each project. */
async function queued(paths: string[]) {
  const { rows } = await latchkey.system.pool.query<{ url: string; project_id: string }>(
    `select e.url, d.project_id from webhook_deliveries d
       join webhook_endpoints e on e.workspace_id = d.workspace_id and e.id = d.endpoint_id and e.project_id = d.project_id
     where e.url = any($1) order by e.url`,
    [paths.map((path) => `${address}${path}`)],
  );
  return rows.map(({ url, project_id }) => [url.slice(address.length), project_id]);
}

describe('OA-11 signing out at the provider', () => {
  test('notifies every application that took part once, and no other', async () => {
    const [first, second, absent] = [await subscriber('/a1'), await subscriber('/a2'), await subscriber('/a3')];
    const person = await register(latchkey);
    const browser = browserOf(latchkey);
    const used = [await use(browser, person, first), await use(browser, person, second)];
    // Another session of the same user is untouched.
    const elsewhere = await use(browserOf(latchkey), person, absent);
    const [asking] = used;
    assert.ok(asking);
    const back = await browser.submit(await askToSignOut(browser, asking), { logout: 'yes' });
    assert.equal(back.url, BYE);
    await eventually(async () => assert.deepEqual([received.get('/a1')?.length, received.get('/a2')?.length], [1, 1]));
    for (const [index, path] of ['/a1', '/a2'].entries()) {
      const claims = decodeJwt(received.get(path)?.[0] ?? '');
      assert.deepEqual(
        [claims.sub, claims.aud, claims['sid']],
        [person.session.userId, [first, second][index], used[index]?.tokens.claims()?.['sid']],
      );
    }
    const project = latchkey.demo.projects[0]?.id;
    assert.deepEqual(await queued(['/a1', '/a2', '/a3']), [
      ['/a1', project],
      ['/a2', project],
    ]);
    assert.ok(await client.refreshTokenGrant(elsewhere.flow.configuration, elsewhere.tokens.refresh_token ?? ''));
  });

  test('notifies an application of another project in the log of that project', async () => {
    const other = { projectId: latchkey.demo.projects[1]?.id ?? 'prj_' } as const;
    const [here, there] = [await subscriber('/b1'), await subscriber('/b2', {}, other)];
    const person = await register(latchkey);
    const join = { ...other, workspaceId: latchkey.demo.workspaceId, identifier: person.email, password: PASSWORD };
    assert.equal((await latchkey.auth('/v1/auth/login/password', { body: join })).status, 200);
    const browser = browserOf(latchkey);
    const asking = await use(browser, person, here);
    await use(browser, person, there);
    await browser.submit(await askToSignOut(browser, asking), { logout: 'yes' });
    assert.deepEqual(await queued(['/b1', '/b2']), [
      ['/b1', latchkey.demo.projects[0]?.id],
      ['/b2', other.projectId],
    ]);
  });

  test('a first-party application with an ID token of this session signs out without a question', async () => {
    const clientId = await subscriber('/e1');
    const browser = browserOf(latchkey);
    const used = await use(browser, await register(latchkey), clientId);
    const back = await signOutByHint(browser, used);
    assert.equal(back.url, `${BYE}?state=there`);
    await eventually(async () => assert.equal(received.get('/e1')?.length, 1));
    await assert.rejects(client.refreshTokenGrant(used.flow.configuration, used.tokens.refresh_token ?? ''), {
      error: 'invalid_grant',
    });
    const again = await codeFlow(latchkey, { prompt: 'none' }, { clientId });
    assert.match((await browser.open(again.url)).url, /error=login_required/);
  });

  test('an ID token of another session, or of a third-party application, only asks', async () => {
    const [own, foreign] = [await subscriber('/f1'), await subscriber('/f2', { firstParty: false })];
    const person = await register(latchkey);
    const browser = browserOf(latchkey);
    const used = await use(browser, person, own);
    const elsewhere = await use(browserOf(latchkey), person, own);
    const flow = await codeFlow(latchkey, {}, { clientId: foreign });
    const consent = await browser.open(flow.url);
    const third = { flow, tokens: await flow.finish(await browser.submit(consent, { decision: 'allow' })) };
    for (const asking of [elsewhere, third]) {
      // biome-ignore lint/performance/noAwaitInLoops: one browser
      const question = await signOutByHint(browser, asking);
      assert.match(question.text, /name="logout"/);
    }
    assert.ok(await client.refreshTokenGrant(used.flow.configuration, used.tokens.refresh_token ?? ''));
    assert.deepEqual(await queued(['/f1', '/f2']), []);
  });

  test('an ID token of an application for which PKCE is optional only asks', async () => {
    const values = { name: 'Relaxed', redirectUris: [REDIRECT], postLogoutRedirectUris: [BYE] };
    const { clientId, secret } = await latchkey.inProject((tx) =>
      createApplication(tx, { kind: 'web', pkce: 'optional', ...values }),
    );
    const browser = browserOf(latchkey);
    const flow = await codeFlow(latchkey, {}, { clientId, secret: secret ?? undefined });
    const tokens = await flow.finish(await signInOn(latchkey, flow, await register(latchkey), browser));
    const question = await signOutByHint(browser, { flow, tokens });
    assert.match(question.text, /name="logout"/);
    assert.ok(await client.refreshTokenGrant(flow.configuration, tokens.refresh_token ?? ''));
  });

  test('if the person stays signed in, ends nothing and notifies nobody', async () => {
    const clientId = await subscriber('/c1');
    const browser = browserOf(latchkey);
    const asking = await use(browser, await register(latchkey), clientId);
    await browser.submit(await askToSignOut(browser, asking), {});
    assert.deepEqual(await queued(['/c1']), []);
    assert.ok(await client.refreshTokenGrant(asking.flow.configuration, asking.tokens.refresh_token ?? ''));
  });

  test('without the secret of its page ends nothing and notifies nobody', async () => {
    const clientId = await subscriber('/d1');
    const person = await register(latchkey);
    const browser = browserOf(latchkey);
    const asking = await use(browser, person, clientId);
    const question = await askToSignOut(browser, asking);
    const refused = await browser.submit(
      { ...question, text: question.text.replace(/name="xsrf" value="[0-9a-f]*"/, 'name="xsrf" value="0"') },
      { logout: 'yes' },
    );
    assert.equal(refused.status, 400);
    assert.deepEqual(await queued(['/d1']), []);
    assert.ok(await client.refreshTokenGrant(asking.flow.configuration, asking.tokens.refresh_token ?? ''));
  });
});
