import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import * as client from 'openid-client';
import { createApplication, type NewApplication } from '#applications';
import { observeStatements } from '#platform/db.ts';
import {
  eventually,
  managementToken,
  PASSWORD,
  register,
  startTestLatchkey,
  type TestLatchkey,
} from '#tests/harness.ts';
import {
  type Browser,
  browserOf,
  type CodeFlow,
  codeFlow,
  configurationOf,
  returned,
  signInOn,
  userInfoOf,
} from '#tests/oidc.ts';

const REDIRECT = 'http://localhost:5173/callback';

let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey();
});
after(() => latchkey.stop());

const signIn = (flow: CodeFlow, person: { email: string }, browser?: Browser) =>
  signInOn(latchkey, flow, person, browser);

function application(values: Partial<NewApplication>) {
  return latchkey.inProject((tx) =>
    createApplication(tx, { kind: 'spa', name: 'Test application', redirectUris: [REDIRECT], ...values }),
  );
}

describe('one session', () => {
  test('ending it anywhere ends grants, tokens and the browser’s sign-in', async () => {
    const person = await register(latchkey);
    const browser = browserOf(latchkey);
    const flow = await codeFlow(latchkey);
    const tokens = await flow.finish(await signIn(flow, person, browser));
    const { body } = await latchkey.api('/v1/me/security/sessions', { token: person.access_token });
    const hosted = body.items.find(({ current }: { current: boolean }) => !current);
    assert.ok(hosted);
    const ended = await latchkey.api(`/v1/me/security/sessions/${hosted.id}`, {
      method: 'DELETE',
      token: person.access_token,
    });
    assert.equal(ended.status, 204, ended.text);
    await assert.rejects(client.refreshTokenGrant(flow.configuration, tokens.refresh_token ?? ''), {
      error: 'invalid_grant',
    });
    await assert.rejects(client.fetchUserInfo(flow.configuration, tokens.access_token, person.session.userId));
    const silent = await codeFlow(latchkey, { prompt: 'none' });
    assert.equal(returned((await browser.open(silent.url)).url)['error'], 'login_required');
  });

  test('a step-up keeps the applications signed in, in a session of its own', async () => {
    const person = await register(latchkey);
    const browser = browserOf(latchkey);
    const flow = await codeFlow(latchkey);
    const tokens = await flow.finish(await signIn(flow, person, browser));
    const stepUp = await codeFlow(latchkey, { prompt: 'login' });
    await stepUp.finish(await signIn(stepUp, person, browser));
    const refreshed = await client.refreshTokenGrant(flow.configuration, tokens.refresh_token ?? '');
    assert.ok(refreshed.access_token);
    const { body } = await latchkey.api('/v1/me/security/sessions', { token: person.access_token });
    assert.equal(body.items.length, 2, 'the one of the API and the one of the browser');
  });

  test('signing out at the provider asks, ends the session and returns to the application', async () => {
    const { clientId } = await application({ postLogoutRedirectUris: ['http://localhost:5173/bye'] });
    const browser = browserOf(latchkey);
    const flow = await codeFlow(latchkey, {}, { clientId });
    const tokens = await flow.finish(await signIn(flow, await register(latchkey), browser));
    const logout = client.buildEndSessionUrl(flow.configuration, {
      post_logout_redirect_uri: 'http://localhost:5173/bye',
      state: 'there',
    });
    const question = await browser.open(logout.href);
    assert.match(question.text, /Sign out of Shop\?/);
    const back = await browser.submit(question, { logout: 'yes' });
    assert.equal(back.url, 'http://localhost:5173/bye?state=there');
    await assert.rejects(client.refreshTokenGrant(flow.configuration, tokens.refresh_token ?? ''), {
      error: 'invalid_grant',
    });
  });

  test('OA-7 a person sees the applications of a session, and revokes the access of one', async () => {
    const { clientId } = await application({ name: 'Photo album', firstParty: false });
    const person = await register(latchkey);
    const browser = browserOf(latchkey);
    const flow = await codeFlow(latchkey, {}, { clientId });
    const question = await signIn(flow, person, browser);
    const tokens = await flow.finish(await browser.submit(question, { decision: 'allow' }));
    const { access_token: token } = person;
    const { body } = await latchkey.api('/v1/me/security/applications', { token });
    assert.deepEqual(
      body.items.map(({ name, firstParty, sessionIds }: Record<string, unknown>) => [
        name,
        firstParty,
        Array.isArray(sessionIds) && sessionIds.length,
      ]),
      [['Photo album', false, 1]],
    );
    const path = `/v1/me/security/applications/${clientId}`;
    assert.equal((await latchkey.api(path, { token, method: 'DELETE' })).status, 204);
    await assert.rejects(client.refreshTokenGrant(flow.configuration, tokens.refresh_token ?? ''), {
      error: 'invalid_grant',
    });
    const again = await codeFlow(latchkey, {}, { clientId });
    assert.match((await browser.open(again.url)).text, /asks for access/);
    assert.equal((await latchkey.api(path, { token, method: 'DELETE' })).status, 404);
  });

  test('revoking the access of another project’s application is an event of that project', async () => {
    const projectId = latchkey.demo.projects[1]?.id;
    assert.ok(projectId);
    const { id, clientId } = await latchkey.inProject(
      (tx) => createApplication(tx, { kind: 'spa', name: 'Next door', firstParty: false, redirectUris: [REDIRECT] }),
      { projectId },
    );
    const person = await register(latchkey);
    const browser = browserOf(latchkey);
    const flow = await codeFlow(latchkey, {}, { clientId });
    await flow.finish(await browser.submit(await signIn(flow, person, browser), { decision: 'allow' }));
    const path = `/v1/me/security/applications/${clientId}`;
    assert.equal((await latchkey.api(path, { token: person.access_token, method: 'DELETE' })).status, 204);
    const { rows } = await latchkey.system.pool.query(
      `select type, project_id as "projectId" from events
        where type like 'user.consent.%' and data->>'applicationId' = $1 order by id`,
      [id],
    );
    assert.deepEqual(rows, [
      { type: 'user.consent.granted', projectId },
      { type: 'user.consent.revoked', projectId },
    ]);
  });

  test('OA-11 an application is notified of the end of a session, with retries', async () => {
    const told: string[] = [];
    let responses = 0;
    const receiver = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      told.push(new URLSearchParams(Buffer.concat(chunks).toString()).get('logout_token') ?? '');
      responses += 1;
      response.writeHead(responses === 1 ? 503 : 200).end();
    });
    await once(receiver.listen(0, '127.0.0.1'), 'listening');
    const address = receiver.address();
    assert.ok(address !== null && typeof address === 'object');
    const { clientId } = await application({ backchannelLogoutUri: `http://127.0.0.1:${address.port}/logout` });
    const person = await register(latchkey);
    const flow = await codeFlow(latchkey, {}, { clientId });
    const tokens = await flow.finish(await signIn(flow, person));
    await latchkey.auth('/v1/sessions/logout', { token: person.access_token, body: { everywhere: true } });
    // Anything not recorded yet belongs to the first attempt.
    await eventually(async () => {
      const { rowCount } = await latchkey.system.pool.query(
        `update webhook_deliveries set next_attempt_at = now() where status = 'retrying' and workspace_id = $1`,
        [latchkey.demo.workspaceId],
      );
      assert.equal(rowCount, 1);
    });
    await eventually(async () => assert.equal(told.length, 2));
    const [header, claims] = [decodeProtectedHeader(told[1] ?? ''), decodeJwt(told[1] ?? '')];
    assert.equal(header.typ, 'logout+jwt');
    assert.deepEqual(
      [claims.sub, claims.aud, claims['sid']],
      [person.session.userId, clientId, tokens.claims()?.['sid']],
    );
    assert.ok(Object(claims['events'])['http://schemas.openid.net/event/backchannel-logout']);
    const admin = await managementToken(latchkey);
    await eventually(async () => {
      const { body } = await latchkey.api('/v1/admin/webhooks/deliveries?eventType=logout', { token: admin });
      assert.deepEqual(
        body.items.map(({ status, attemptCount }: Record<string, unknown>) => [status, attemptCount]),
        [['delivered', 2]],
      );
    });
    receiver.closeAllConnections();
    receiver.close();
  });

  test('a sign-in of a signed-in browser takes at most nine statements, tokens included', async () => {
    const person = await register(latchkey);
    const browser = browserOf(latchkey);
    const first = await codeFlow(latchkey, { scope: 'openid profile email' });
    await first.finish(await signIn(first, person, browser));
    const again = await codeFlow(latchkey, { scope: 'openid profile email' });
    const seen: string[] = [];
    const stop = observeStatements((sql) => seen.push(sql));
    await again.finish(await browser.open(again.url));
    stop();
    const own = seen.filter((sql) => /"oidc_records"|"members"/.test(sql) && !sql.includes('all workspaces'));
    assert.ok(own.length <= 9, `${own.length} statements:\n${own.map((sql) => sql.slice(0, 120)).join('\n')}`);
  });

  test('a blocked member gets no more tokens', async () => {
    const person = await register(latchkey);
    const flow = await codeFlow(latchkey);
    const tokens = await flow.finish(await signIn(flow, person));
    await latchkey.system.pool.query("update members set status = 'blocked' where user_id = $1", [
      person.session.userId,
    ]);
    await assert.rejects(client.refreshTokenGrant(flow.configuration, tokens.refresh_token ?? ''));
  });
});

describe('consent', () => {
  test('a person consents to a third-party application once', async () => {
    const { clientId } = await application({ firstParty: false, name: 'Elsewhere' });
    const person = await register(latchkey);
    const browser = browserOf(latchkey);
    const flow = await codeFlow(latchkey, { scope: 'openid email' }, { clientId });
    const question = await signIn(flow, person, browser);
    assert.match(question.text, /Elsewhere asks for access/);
    assert.match(question.text, /See your email address/);
    assert.ok(question.text.includes(`You are signed in as ${person.email}.`));
    assert.ok(question.text.includes(`Afterwards you return to ${new URL(REDIRECT).host}.`));
    const tokens = await flow.finish(await browser.submit(question, { decision: 'allow' }));
    assert.equal((await userInfoOf(flow, tokens))['email'], person.email);
    const again = await codeFlow(latchkey, { scope: 'openid email' }, { clientId });
    await again.finish(await signIn(again, person));
    const more = await codeFlow(latchkey, { scope: 'openid email phone' }, { clientId });
    assert.match((await signIn(more, person)).text, /See your phone number/);
  });

  test('is given by the person who is there: somebody else signs in and is asked again', async () => {
    const { clientId } = await application({ firstParty: false, name: 'Elsewhere' });
    const [first, second] = [await register(latchkey), await register(latchkey)];
    const browser = browserOf(latchkey);
    const flow = await codeFlow(latchkey, {}, { clientId });
    const question = await signIn(flow, first, browser);
    const form = await browser.submit(question, {}, '/continue');
    assert.match(form.text, /name="identifier" value=""/);
    const left = await browser.submit(form, { identifier: second.email, password: PASSWORD });
    const asked = left.text.includes('consent') ? left : await browser.submit(left, {});
    assert.ok(asked.text.includes(`You are signed in as ${second.email}.`), asked.text);
    const tokens = await flow.finish(await browser.submit(asked, { decision: 'allow' }, '/consent'));
    assert.equal(tokens.claims()?.sub, second.session.userId);
  });

  test('a denial returns access_denied to the application', async () => {
    const { clientId } = await application({ firstParty: false });
    const browser = browserOf(latchkey);
    const flow = await codeFlow(latchkey, {}, { clientId });
    const question = await signIn(flow, await register(latchkey), browser);
    const back = await browser.submit(question, { decision: 'deny' });
    assert.equal(returned(back.url)['error'], 'access_denied');
  });
});

describe('the device flow', () => {
  test('a device without a browser is signed in by a person with one', async () => {
    const { clientId } = await application({ kind: 'device', name: 'Television', redirectUris: [] });
    const configuration = await configurationOf(latchkey, { clientId });
    const begun = await client.initiateDeviceAuthorization(configuration, { scope: 'openid email' });
    const person = await register(latchkey);
    const browser = browserOf(latchkey);
    const entry = await browser.open(begun.verification_uri);
    const wrong = await browser.submit(entry, { user_code: 'BBBB-BBBB' });
    assert.match(wrong.text, /This code is wrong/);
    const confirm = await browser.submit(wrong, { user_code: begun.user_code });
    assert.match(confirm.text, /Television/);
    const other = await client.initiateDeviceAuthorization(configuration, { scope: 'openid' });
    const stranger = browserOf(latchkey);
    const asked = await stranger.submit(await stranger.open(other.verification_uri), { user_code: other.user_code });
    assert.match((await stranger.submit(asked, { abort: 'yes' })).text, /You denied the request/);
    const page = await browser.submit(confirm, {});
    const done = await browser.submit(page, { identifier: person.email, password: PASSWORD });
    assert.match(done.text, /Your device is signed in/);
    const tokens = await client.pollDeviceAuthorizationGrant(configuration, { ...begun, interval: 0 });
    assert.equal(tokens.claims()?.sub, person.session.userId);
  });
});
