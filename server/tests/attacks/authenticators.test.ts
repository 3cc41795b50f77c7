import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { served } from '#hosts';
import { visitorOf } from '#tests/account.ts';
import { challengeIn, codesOf } from '#tests/factors.ts';
import {
  changeSettings,
  expectProblem,
  PASSWORD,
  prove,
  register,
  startTestLatchkey,
  TestClock,
  type TestLatchkey,
  type TestResponse,
} from '#tests/harness.ts';
import { peopleAt } from '#tests/protected-person.ts';
import { modelTable } from '#tests/security-model.ts';
import { siblingsOf } from '#tests/siblings.ts';

const ZEROS = '0'.repeat(26);

/** Every operation of the hosts, with the proof it declares. */
const operations = Object.values(served)
  .flat()
  .map(({ method, path, freshProof = 'none' }) => ({ method, path, proof: freshProof }));
type Operation = (typeof operations)[number];

const clock = new TestClock();
let latchkey: TestLatchkey;
let people: ReturnType<typeof peopleAt>;
before(async () => {
  latchkey = await startTestLatchkey({ clock });
  people = peopleAt(latchkey, clock);
});
after(() => latchkey.stop());

function expectSecondFactorAsked(response: TestResponse): void {
  expectProblem(response, 401, 'REAUTHENTICATION_REQUIRED');
  assert.deepEqual([response.body.acr, response.body.maxAge], ['aal2', 600], response.text);
}

const isOwn = ({ path }: Operation) => /^\/v1\/me(\/|$)/.test(path) || /^\/account(\/|$)/.test(path);
const changes = ({ method, proof }: Operation) =>
  !['GET', 'HEAD', 'OPTIONS'].includes(method) || (method === 'GET' && proof !== 'none');
/** Operations on one's own account. */
const ownOperations = () => operations.filter((operation) => isOwn(operation) && changes(operation));

const filled = (path: string) =>
  path.replace(/:(\w+)/g, (_, name: string) => {
    const prefix = {
      session: 'ses',
      device: 'dev',
      passkey: 'psk',
      identity: 'idn',
      membership: 'mem',
      organization: 'org',
    }[name.replace(/Id$/, '')];
    return prefix ? `${prefix}_${ZEROS}` : 'app_none';
  });

/** Calls operations with a session; the bodies do not matter. */
const callsOf = (asked: readonly Operation[], session: { access_token: string }) =>
  Promise.all(asked.map(({ method, path }) => people.me(filled(path).slice('/v1/me'.length), session, { method })));
const operationsWith = (proof: string) =>
  ownOperations().filter((operation) => operation.path.startsWith('/v1/') && operation.proof === proof);

describe('the proof that a change of one’s own account requires', () => {
  test('is documented for every changing operation of /v1/me and /account', async () => {
    const namesOrganization = (path: string) => /\/organizations\/:(organizationId|id)\b/.test(path);
    const declared = ownOperations().map(({ method, path, proof }) => {
      const through = namesOrganization(path) ? 'in its organization' : 'whole accounts';
      return [`${method} ${path}`, proof, proof === 'none' ? '–' : through];
    });
    assert.ok(declared.length > 40, 'the routes are seen');
    assert.deepEqual((await modelTable('fresh-proof')).sort(), declared.sort());
  });

  test('is the second factor of a person who has one: a fresh password or a remembered device is not enough', async () => {
    const { weak } = await people.protectedPerson();
    const asked = operationsWith('second factor');
    assert.ok(asked.length >= 20);
    for (const response of await callsOf(asked, weak)) expectSecondFactorAsked(response);
  });

  test('is any factor of the last ten minutes if the change only removes access', async () => {
    const { weak } = await people.protectedPerson();
    const asked = operationsWith('any factor');
    assert.ok(asked.length >= 3);
    for (const { body, text } of await callsOf(asked, weak))
      assert.notEqual(body?.errorCode, 'REAUTHENTICATION_REQUIRED', text);
    const old = await register(latchkey);
    clock.advance(601_000);
    for (const response of await callsOf(asked, old)) {
      expectProblem(response, 401, 'REAUTHENTICATION_REQUIRED');
      assert.deepEqual([response.body.acr, response.body.maxAge], [undefined, 600]);
    }
  });

  test('is a first factor of the last ten minutes if the person has no other', async () => {
    const person = await register(latchkey);
    clock.advance(601_000);
    const refused = await people.me('/security/mfa/totp', person, { body: {} });
    expectProblem(refused, 401, 'REAUTHENTICATION_REQUIRED');
    assert.equal(refused.body.acr, undefined);
    const { body } = await latchkey.auth('/v1/auth/reauthenticate', {
      token: person.access_token,
      body: { password: PASSWORD },
    });
    assert.equal((await people.me('/security/mfa/totp', body, { body: {} })).status, 200);
  });

  test('is not provided by the password alone: only a second factor unlocks these changes, for ten minutes', async () => {
    const { app, weak } = await people.protectedPerson();
    const again = await latchkey.auth('/v1/auth/reauthenticate', {
      token: weak.access_token,
      body: { password: PASSWORD },
    });
    assert.equal(again.body.session.acr, 'aal1', again.text);
    expectSecondFactorAsked(await people.me('/security/recovery-codes', again.body, { body: {} }));
    expectSecondFactorAsked(await people.me('/security/mfa/totp', again.body, { method: 'DELETE' }));
    clock.advance(30_000);
    const raised = await latchkey.auth('/v1/auth/reauthenticate', {
      token: again.body.access_token,
      body: { code: app.code() },
    });
    assert.equal((await people.me('/security/recovery-codes', raised.body, { body: {} })).status, 200);
    clock.advance(601_000);
    const later = await latchkey.auth('/v1/auth/reauthenticate', {
      token: raised.body.access_token,
      body: { password: PASSWORD },
    });
    expectSecondFactorAsked(await people.me('/security/recovery-codes', later.body, { body: {} }));
  });

  test('is required of a session that entered through a project without second factors', async () => {
    const { person } = await people.protectedPerson();
    await changeSettings(latchkey, { mfa: 'off' });
    const { body } = await people.login(person);
    await changeSettings(latchkey, { mfa: 'optional' });
    assert.equal(body.session?.acr, 'aal1');
    expectSecondFactorAsked(await people.me('/security/recovery-codes', body, { body: {} }));
    expectSecondFactorAsked(await people.me('/security/mfa/phone', body, { body: { phone: '+4915188880001' } }));
  });

  test('is required on the account pages too, both for showing a page and for submitting a form', async () => {
    const { person, app } = await people.protectedPerson();
    clock.advance(30_000);
    const { browser, page: second } = await visitorOf(latchkey, '/security', person);
    const page = await browser.submit(second, { code: app.code() }, '/mfa');
    assert.match(page.url, /\/account\/security$/);
    clock.advance(601_000);
    const asked = ownOperations().filter(({ path, proof }) => path.startsWith('/account') && proof === 'second factor');
    for (const { method, path } of asked) {
      const url = new URL(filled(path), page.url).href;
      const form = { ...page, text: `<form action="${filled(path)}"></form>` };
      // biome-ignore lint/performance/noAwaitInLoops: one browser, one page after the other
      const shown = method === 'GET' ? await browser.open(url) : await browser.submit(form, {});
      if (path === '/account/passkeys/options') assert.match(shown.text, /REAUTHENTICATION_REQUIRED/);
      else assert.match(shown.url, /\/sign-in\//, `${method} ${path}`);
    }
    assert.ok(asked.length >= 20);
    const question = await browser.open(new URL('/account/recovery-codes/new', page.url).href);
    const proven = await browser.submit(question, { identifier: person.email, password: PASSWORD });
    assert.match(proven.url, /\/sign-in\/[^/]+\/mfa/, 'the password alone does not lead there');
  });

  test('an app whose set-up one session started cannot be confirmed by another session without the proof', async () => {
    const person = await prove(latchkey, await register(latchkey));
    const { body: passkey } = await people.addPasskey(person, { secondFactor: true });
    const begun = await people.me('/security/mfa/totp', person, { body: {} });
    assert.equal(begun.status, 200, begun.text);
    const { mfaToken } = challengeIn(await people.login(person));
    const strong = await people.verify({ mfaToken, code: passkey.recoveryCodes[0], rememberDevice: true });
    const weak = await people.login(person, { deviceToken: strong.body.deviceToken });
    const code = codesOf(begun.body.secret, clock)();
    expectSecondFactorAsked(
      await people.me('/security/mfa/totp/confirm', weak.body, { body: { id: begun.body.id, code } }),
    );
  });
});

describe('a passkey in a workspace where a sibling project requires two factors', () => {
  const { policies } = siblingsOf(() => latchkey);

  test('must be proven before another factor is added in a project that requires none, so a password adds no bypass', async () => {
    await policies('optional', 'required');
    const person = await prove(latchkey, await register(latchkey));
    assert.equal((await people.addPasskey(person)).status, 201);
    const { body: byPassword } = await people.login(person);
    assert.ok(byPassword.access_token, 'the project itself does not ask for it');
    expectSecondFactorAsked(await people.me('/security/mfa/totp', byPassword, { body: {} }));
    await policies('optional', 'optional');
    assert.equal((await people.me('/security/mfa/totp', byPassword, { body: {} })).status, 200);
  });
});
