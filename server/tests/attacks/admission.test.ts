import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import * as client from 'openid-client';
import { createApplication } from '#applications';
import { totpOf } from '#tests/factors.ts';
import {
  changeSettings,
  eventsOf,
  expectProblem,
  PASSWORD,
  register,
  startTestLatchkey,
  TestClock,
  type TestLatchkey,
} from '#tests/harness.ts';
import { type Browser, browserOf, type CodeFlow, codeFlow, returned, signInOn } from '#tests/oidc.ts';
import { expectStepUp, type Person, siblingsOf } from '#tests/siblings.ts';

const REDIRECT = 'http://localhost:5173/callback';
const clock = new TestClock();
let latchkey: TestLatchkey;
/** The client id of a first-party application in the second project. */
let siblingClient: string;
const { sibling, policies, login, verify, switchTo, refresh, memberOfBoth } = siblingsOf(() => latchkey);
before(async () => {
  latchkey = await startTestLatchkey({ clock });
  const { clientId } = await latchkey.inProject(
    (tx) => createApplication(tx, { kind: 'spa', name: 'Desk', redirectUris: [REDIRECT] }),
    { projectId: sibling().projectId },
  );
  siblingClient = clientId;
});
after(() => latchkey.stop());

beforeEach(() => policies('optional', 'optional', { rememberDeviceSeconds: 30 * 86_400 }));

const flowThere = (parameters: Record<string, string> = {}) =>
  codeFlow(latchkey, parameters, { clientId: siblingClient });

/**
 * Signs in to an application of the first project.
 * @returns the signed-in browser
 */
async function signedInBrowser(person: Person): Promise<{ browser: Browser; flow: CodeFlow }> {
  const browser = browserOf(latchkey);
  const flow = await codeFlow(latchkey);
  await flow.finish(await signInOn(latchkey, flow, person, browser));
  return { browser, flow };
}

describe('single sign-on from a sibling project', () => {
  test('a password alone enters no project that requires a second factor', async () => {
    const person = await memberOfBoth();
    await policies('optional', 'required');
    const { browser } = await signedInBrowser(person);
    const silent = await flowThere({ prompt: 'none' });
    assert.equal(returned((await browser.open(silent.url)).url)['error'], 'login_required');
    const asked = await flowThere();
    const page = await browser.open(asked.url);
    assert.match(page.url, /\/sign-in\//, 'the person is asked, and no code is given');
    const events = await eventsOf(latchkey, person.session.userId);
    assert.ok(!events.includes('session.context_switched'), 'nor has the session entered the project');
    const enrolling = await browser.submit(page, { identifier: person.email, password: PASSWORD });
    assert.match(enrolling.url, /\/enroll$/);
  });

  test('the tokens of such a sign-in do not enter it either, on any route', async () => {
    const person = await memberOfBoth();
    const { browser } = await signedInBrowser(person);
    const flow = await flowThere();
    const tokens = await flow.finish(await browser.open(flow.url));
    await policies('optional', 'required');
    expectStepUp(await switchTo(tokens.access_token));
    await assert.rejects(client.refreshTokenGrant(flow.configuration, tokens.refresh_token ?? ''), {
      error: 'invalid_grant',
    });
  });

  test('a code that was issued before the policy became stricter is not exchanged afterwards', async () => {
    const person = await memberOfBoth();
    const { browser } = await signedInBrowser(person);
    const flow = await flowThere();
    const back = await browser.open(flow.url);
    await policies('optional', 'required');
    await assert.rejects(flow.finish(back), { error: 'invalid_grant' });
  });

  test('an enrolled factor is required, even if the browser signed in where none is', async () => {
    const person = await memberOfBoth();
    const app = await totpOf(latchkey, person, clock);
    await policies('off', 'optional');
    const { browser } = await signedInBrowser(person);
    const flow = await flowThere();
    const page = await browser.open(flow.url);
    const question = await browser.submit(page, { identifier: person.email, password: PASSWORD });
    assert.match(question.url, /\/mfa$/);
    const tokens = await flow.finish(await browser.submit(question, { code: app.code() }, '/mfa'));
    assert.equal(tokens.claims()?.['acr'], 'aal2');
    assert.equal((await switchTo(tokens.access_token)).body.session.acr, 'aal2');
  });
});

describe('a browser that signs in again', () => {
  test('with one factor instead of two does not inherit admission', async () => {
    const person = await memberOfBoth();
    const app = await totpOf(latchkey, person, clock);
    await policies('off', 'optional');
    const browser = browserOf(latchkey);
    const first = await flowThere();
    const question = await signInOn(latchkey, first, person, browser);
    await first.finish(await browser.submit(question, { code: app.code() }, '/mfa'));
    const weaker = await codeFlow(latchkey, { prompt: 'login' });
    const tokens = await weaker.finish(await signInOn(latchkey, weaker, person, browser));
    assert.equal(tokens.claims()?.['acr'], 'aal1');
    const silent = await flowThere({ prompt: 'none' });
    assert.equal(returned((await browser.open(silent.url)).url)['error'], 'login_required');
  });
});

describe('switch-context', () => {
  test('does not bypass an enrolled factor through a project that requires none', async () => {
    const person = await memberOfBoth();
    const app = await totpOf(latchkey, person, clock);
    await policies('off', 'optional');
    const session = (await login(person)).body;
    assert.equal(session.session.acr, 'aal1');
    expectStepUp(await switchTo(session.access_token));
    const raised = await latchkey.auth('/v1/auth/reauthenticate', {
      token: session.access_token,
      body: { code: app.code() },
    });
    assert.equal(raised.status, 200, raised.text);
    assert.equal((await switchTo(raised.body.access_token)).body.session.acr, 'aal2');
  });

  test('re-checks a session that has already entered the project', async () => {
    const person = await memberOfBoth();
    const session = (await login(person)).body;
    assert.equal((await switchTo(session.access_token)).status, 200);
    await policies('optional', 'required');
    expectStepUp(await switchTo(session.access_token));
  });

  test('does not admit a blocked member, whatever they proved', async () => {
    const person = await memberOfBoth();
    await latchkey.inProject(
      (tx) =>
        tx.db
          .updateTable('members')
          .set({ status: 'blocked' })
          .where('user_id', '=', person.session.userId)
          .where('workspace_id', '=', tx.scope.workspaceId)
          .where('environment', '=', 'test')
          .where('project_id', '=', tx.scope.projectId)
          .execute(),
      { projectId: sibling().projectId },
    );
    expectProblem(await switchTo(person.access_token), 403, 'MEMBER_BLOCKED');
  });
});

describe('a policy that becomes stricter', () => {
  test('ends the refresh of sessions with one factor, and of no others', async () => {
    const [plain, strong] = [await register(latchkey), await register(latchkey)];
    const app = await totpOf(latchkey, strong, clock);
    const both = await verify(await login(strong), app.code());
    await policies('required', 'optional');
    expectStepUp(await refresh(plain.refresh_token));
    assert.equal((await refresh(both.body.refresh_token)).status, 200);
    await policies('optional', 'optional');
    assert.equal((await refresh(plain.refresh_token)).status, 200, 'the token was not spent');
  });

  test('requires the enrolled factor at the next refresh once a project enables it', async () => {
    const person = await register(latchkey);
    await totpOf(latchkey, person, clock);
    await policies('off', 'off');
    const session = (await login(person)).body;
    const renewed = await refresh(session.refresh_token);
    assert.equal(renewed.status, 200, renewed.text);
    await policies('optional', 'off');
    expectStepUp(await refresh(renewed.body.refresh_token));
  });

  test('applies to a session at its next refresh, and admits it after a check', async () => {
    const person = await register(latchkey);
    await policies('off', 'off');
    const session = (await login(person)).body;
    await policies('optional', 'off');
    const renewed = await refresh(session.refresh_token);
    assert.equal(renewed.status, 200, 'nobody is asked for what they do not have');
    await latchkey.system.pool.query(`update members set status = 'blocked' where user_id = $1`, [
      person.session.userId,
    ]);
    await policies('required', 'off');
    expectProblem(await refresh(renewed.body.refresh_token), 403, 'MEMBER_BLOCKED');
  });

  test('applies to a reauthentication with one factor: the new tokens allow no more', async () => {
    const person = await register(latchkey);
    await policies('required', 'optional');
    const again = await latchkey.auth('/v1/auth/reauthenticate', {
      token: person.access_token,
      body: { password: PASSWORD },
    });
    assert.equal(again.status, 200, again.text);
    expectStepUp(await refresh(again.body.refresh_token));
  });

  test('refuses the reauthentication of a member who was blocked in the meantime', async () => {
    const person = await register(latchkey);
    await latchkey.system.pool.query(`update members set status = 'blocked' where user_id = $1`, [
      person.session.userId,
    ]);
    const again = await latchkey.auth('/v1/auth/reauthenticate', {
      token: person.access_token,
      body: { password: PASSWORD },
    });
    expectProblem(again, 403, 'MEMBER_BLOCKED');
  });

  test('applies to the account page', async () => {
    const person = await register(latchkey);
    const browser = browserOf(latchkey);
    const url = latchkey.system.config.addresses.test.auth;
    const page = await browser.open(`${url}/account`);
    const shown = await browser.submit(page, { identifier: person.email, password: PASSWORD });
    assert.match(shown.url, /\/account$/);
    await policies('required', 'optional');
    assert.match((await browser.open(`${url}/account/security`)).url, /\/sign-in\//);
  });
});

describe('a remembered device', () => {
  async function remembering() {
    const person = await memberOfBoth();
    const app = await totpOf(latchkey, person, clock);
    const first = await verify(await login(person), app.code(), { rememberDevice: true });
    const { deviceToken } = first.body;
    const session = (await login(person, { deviceToken })).body;
    assert.equal(session.session.acr, 'aal1', 'it reaches no level by itself');
    return { person, app, deviceToken, session };
  }

  test('replaces the second factor if the project allows it, also when tokens are refreshed', async () => {
    const { session } = await remembering();
    await policies('required', 'optional');
    const renewed = await refresh(session.refresh_token);
    assert.equal(renewed.status, 200, renewed.text);
    assert.equal((await switchTo(renewed.body.access_token)).status, 200, 'the sibling remembers devices, too');
  });

  test('does not in a sibling project that remembers none', async () => {
    const { session } = await remembering();
    await policies('optional', 'optional', { rememberDeviceSeconds: 0 });
    expectStepUp(await switchTo(session.access_token));
  });

  test('does not once the project stops remembering devices', async () => {
    const { session } = await remembering();
    await changeSettings(latchkey, { rememberDeviceSeconds: 0 });
    expectStepUp(await refresh(session.refresh_token));
    await changeSettings(latchkey, { rememberDeviceSeconds: 30 * 86_400 });
  });

  test('does not once the device is removed', async () => {
    const { person, session } = await remembering();
    await latchkey.system.pool.query('delete from remembered_devices where user_id = $1', [person.session.userId]);
    expectStepUp(await switchTo(session.access_token));
  });

  test('does not if an application requires two factors', async () => {
    const { person } = await remembering();
    const browser = browserOf(latchkey);
    const flow = await codeFlow(latchkey);
    const page = await signInOn(latchkey, flow, person, browser);
    assert.match(page.url, /\/mfa$/);
    const wish = await codeFlow(latchkey, { acr_values: 'aal2' });
    assert.match((await signInOn(latchkey, wish, person, browser)).url, /\/mfa$/);
  });
});

describe('an application that requests two factors', () => {
  const essential = { claims: JSON.stringify({ id_token: { acr: { essential: true, value: 'aal2' } } }) };

  test('a person with a second factor must use it, even if the project requires none', async () => {
    const person = await register(latchkey);
    const app = await totpOf(latchkey, person, clock);
    await policies('off', 'off');
    const browser = browserOf(latchkey);
    for (const parameters of [{ acr_values: 'aal2' }, essential]) {
      // biome-ignore lint/performance/noAwaitInLoops: sequential on purpose
      const flow = await codeFlow(latchkey, parameters);
      const question = await signInOn(latchkey, flow, person, browser);
      assert.match(question.url, /\/mfa$/);
      const tokens = await flow.finish(await browser.submit(question, { code: app.code() }, '/mfa'));
      assert.equal(tokens.claims()?.['acr'], 'aal2');
      clock.advance(30_000);
      browser.cookies.clear();
    }
  });

  test('a person without one: a voluntary claim is ignored, an essential one is refused before the password', async () => {
    const person = await register(latchkey);
    const { browser } = await signedInBrowser(person);
    const wish = await codeFlow(latchkey, { acr_values: 'aal2' });
    assert.equal((await wish.finish(await browser.open(wish.url))).claims()?.['acr'], 'aal1');
    const must = await codeFlow(latchkey, essential);
    assert.equal(returned((await browser.open(must.url)).url)['error'], 'unmet_authentication_requirements');
  });
});

test('a session never enters a project without a membership, open or closed', async () => {
  const person = await register(latchkey);
  expectProblem(await switchTo(person.access_token), 403, 'MEMBERSHIP_REQUIRED');
  const { browser } = await signedInBrowser(person);
  const silent = await flowThere({ prompt: 'none' });
  assert.notEqual(returned((await browser.open(silent.url)).url)['error'], undefined);
});
