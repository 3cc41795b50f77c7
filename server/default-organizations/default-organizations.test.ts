import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { visitorOf } from '#tests/account.ts';
import { actionsOf } from '#tests/actions.ts';
import { newApplication } from '#tests/apis.ts';
import { challengeIn, totpOf } from '#tests/factors.ts';
import {
  expectProblem,
  ownerToken,
  PASSWORD,
  register,
  startTestLatchkey,
  TestClock,
  type TestLatchkey,
} from '#tests/harness.ts';
import { browserOf, codeFlow, signInOn, userInfoOf } from '#tests/oidc.ts';
import { startReceiver } from '#tests/receiver.ts';

const PATH = '/v1/me/default-organization';
const SCOPE = 'openid organization offline_access';

const clock = new TestClock();
let latchkey: TestLatchkey;
let token: string;
let wanting: { clientId: string; secret: string };
let plain: { clientId: string; secret: string };
before(async () => {
  latchkey = await startTestLatchkey({ clock });
  token = await ownerToken(latchkey);
  wanting = await application({ usesDefaultOrganization: true });
  plain = await application({});
});
after(() => latchkey.stop());

async function application(values: Record<string, unknown>) {
  const { clientId, secret } = await newApplication(latchkey, values);
  return { clientId, secret: secret ?? '' };
}

const admin = (path: string, method = 'GET', body?: unknown) =>
  latchkey.api(`/v1/admin/${path}`, { token, method, ...(body !== undefined && { body }) });

type Person = Awaited<ReturnType<typeof newPerson>>;
async function newPerson() {
  const person = await register(latchkey);
  const { body } = await admin(`members?q=${encodeURIComponent(person.email)}`);
  return { ...person, memberId: String(body.items[0].id) };
}

async function newOrganization(...people: Person[]): Promise<string> {
  const { body } = await admin('organizations', 'POST', { name: 'Acme' });
  for (const { memberId } of people) {
    // biome-ignore lint/performance/noAwaitInLoops: one after the other
    const added = await admin(`organizations/${body.id}/members`, 'POST', { memberId });
    assert.equal(added.status, 201, added.text);
  }
  return String(body.id);
}

const choose = (person: Person, organizationId: string | null) =>
  latchkey.api(PATH, { token: person.access_token, method: 'PUT', body: { organizationId } });
const chosen = async (person: Person) => (await latchkey.api(PATH, { token: person.access_token })).body.organizationId;

/** A person in one organization, which is their default. */
async function withDefault() {
  const person = await newPerson();
  const organizationId = await newOrganization(person);
  assert.equal((await choose(person, organizationId)).status, 200);
  return { person, organizationId };
}

/** The `org_id` that an application gets for a person who signs in; undefined for none. */
async function entered(person: { email: string }, parameters = {}, at = wanting, browser = browserOf(latchkey)) {
  const flow = await codeFlow(latchkey, { scope: SCOPE, ...parameters }, at);
  const page =
    browser.cookies.size === 0 ? await signInOn(latchkey, flow, person, browser) : await browser.open(flow.url);
  return (await userInfoOf(flow, await flow.finish(page)))['org_id'];
}

const login = ({ email }: { email: string }, clientId = wanting.clientId) =>
  latchkey.auth('/v1/auth/login/password', { body: { identifier: email, password: PASSWORD, clientId } });

describe('my default organization', () => {
  test('is none at first; I choose one of mine, another, and none', async () => {
    const person = await newPerson();
    const [first, second] = [await newOrganization(person), await newOrganization(person)];
    assert.equal(await chosen(person), null);
    for (const organizationId of [first, second, second, null]) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const response = await choose(person, organizationId);
      assert.deepEqual([response.status, response.body], [200, { organizationId }]);
      assert.equal(await chosen(person), organizationId);
    }
  });

  test('is no organization that I am not in, that is unknown, or that is blocked', async () => {
    const [person, stranger] = [await newPerson(), await newPerson()];
    expectProblem(await choose(person, await newOrganization(stranger)), 404, 'NOT_FOUND');
    expectProblem(await choose(person, 'org_01kaz3w9hqf8p9n2m4v5x6y7z8'), 404, 'NOT_FOUND');
    const blocked = await newOrganization(person);
    await admin(`organizations/${blocked}/block`, 'POST');
    expectProblem(await choose(person, blocked), 403, 'ORGANIZATION_BLOCKED');
    assert.equal(await chosen(person), null);
  });

  test('ends with the membership, and does not come back with it', async () => {
    const { person, organizationId } = await withDefault();
    await admin(`organizations/${organizationId}/members/${person.memberId}`, 'DELETE');
    assert.equal(await chosen(person), null);
    await admin(`organizations/${organizationId}/members`, 'POST', { memberId: person.memberId });
    assert.equal(await chosen(person), null);
  });

  test('of two choices at once, one counts', async () => {
    const person = await newPerson();
    const both = [await newOrganization(person), await newOrganization(person)];
    const responses = await Promise.all([...both, ...both].map((id) => choose(person, id)));
    assert.deepEqual(
      responses.map(({ status }) => status),
      [200, 200, 200, 200],
    );
    assert.ok(both.includes(await chosen(person)));
  });

  test('is in the export of my data', async () => {
    const { person, organizationId } = await withDefault();
    const other = await newOrganization(person);
    const { body } = await latchkey.api('/v1/me/profile/export', { token: person.access_token });
    const told = body.organizations.map(({ id, isDefault }: { id: string; isDefault: boolean }) => [id, isDefault]);
    assert.deepEqual(told, [
      [other, false],
      [organizationId, true],
    ]);
  });

  test('is chosen on the account page', async () => {
    const person = await newPerson();
    const organizationId = await newOrganization(person);
    const { browser, page } = await visitorOf(latchkey, '/memberships', person);
    const saved = await browser.submit(page, { organizationId }, '/default-organization');
    assert.match(saved.text, new RegExp(`value="${organizationId}" selected`));
    assert.equal(await chosen(person), organizationId);
    await browser.submit(saved, { organizationId: '' }, '/default-organization');
    assert.equal(await chosen(person), null);
    const { page: alone } = await visitorOf(latchkey, '/memberships');
    assert.ok(!alone.text.includes('Default organization'));
  });
});

describe('at an application with usesDefaultOrganization', () => {
  test('a sign-in that names no organization enters the default, and a refresh stays in it', async () => {
    const { person, organizationId } = await withDefault();
    assert.equal(await entered(person), organizationId);
    const browser = browserOf(latchkey);
    assert.equal(await entered(person, {}, plain, browser), undefined);
    assert.equal(await entered(person, { prompt: 'none' }, wanting, browser), organizationId);
  });

  test('a sign-in that names an organization enters that one', async () => {
    const { person } = await withDefault();
    const other = await newOrganization(person);
    assert.equal(await entered(person, { organization: other }), other);
  });

  test('a person without a default enters none', async () => {
    const person = await newPerson();
    await newOrganization(person);
    assert.equal(await entered(person), undefined);
  });

  test('a default that an action refuses is left out, and the sign-in succeeds', async () => {
    const receiver = await startReceiver();
    const actions = await actionsOf(latchkey, receiver);
    const { person, organizationId } = await withDefault();
    assert.equal((await login(person)).body.session.organizationId, organizationId);
    const { id } = await actions.add('sign_in', (response, { body }) => {
      const decision = JSON.parse(body).organizationId === null ? 'allow' : 'refuse';
      response.writeHead(200).end(JSON.stringify({ decision }));
    });
    const left = await login(person);
    assert.deepEqual([left.status, left.body.session.organizationId], [200, null]);
    await actions.remove(id);
    await receiver.stop();
  });

  test('a default that ends, or does not admit the session, is left out, and the sign-in succeeds', async () => {
    const endings = [
      (id: string, { memberId }: Person) => admin(`organizations/${id}/members/${memberId}`, 'DELETE'),
      (id: string) => admin(`organizations/${id}`, 'DELETE'),
      (id: string) => admin(`organizations/${id}/block`, 'POST'),
      (id: string) => admin(`organizations/${id}/policy`, 'PATCH', { mfa: 'required' }),
      (id: string) => admin(`organizations/${id}/policy`, 'PATCH', { signInMethods: ['passkey'] }),
      (id: string) => admin(`organizations/${id}/policy`, 'PATCH', { addresses: ['203.0.113.0/24'] }),
    ];
    for (const end of endings) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const { person, organizationId } = await withDefault();
      const browser = browserOf(latchkey);
      assert.equal(await entered(person, {}, wanting, browser), organizationId);
      const ended = await end(organizationId, person);
      assert.ok(ended.status < 300, ended.text);
      assert.equal(await entered(person, { prompt: 'none' }, wanting, browser), undefined);
      const { status, body } = await login(person);
      assert.deepEqual([status, body.session.organizationId], [200, null]);
    }
  });

  test('a sign-in of the API with its clientId enters the default, also after a second factor', async () => {
    const { person, organizationId } = await withDefault();
    assert.equal((await login(person)).body.session.organizationId, organizationId);
    assert.equal((await login(person, plain.clientId)).body.session.organizationId, null);
    const app = await totpOf(latchkey, person, clock);
    await admin(`organizations/${organizationId}/policy`, 'PATCH', { mfa: 'required' });
    const { mfaToken } = challengeIn(await login(person));
    const { body } = await latchkey.auth('/v1/auth/mfa/verify', { body: { mfaToken, code: app.code() } });
    assert.equal(body.session.organizationId, organizationId);
  });

  test('the default is left out if it ends between the first factor and the second', async () => {
    const { person, organizationId } = await withDefault();
    const app = await totpOf(latchkey, person, clock);
    const { mfaToken } = challengeIn(await login(person));
    await admin(`organizations/${organizationId}/members/${person.memberId}`, 'DELETE');
    const { status, body } = await latchkey.auth('/v1/auth/mfa/verify', { body: { mfaToken, code: app.code() } });
    assert.deepEqual([status, body.session.organizationId], [200, null]);
  });
});
