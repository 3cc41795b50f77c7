import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { linkIn, type Person, visitorOf } from '#tests/account.ts';
import { admin } from '#tests/apis.ts';
import {
  changeSettings,
  eventsOf,
  PASSWORD,
  prove,
  register,
  startTestLatchkey,
  TestClock,
  type TestLatchkey,
} from '#tests/harness.ts';
import { browserOf } from '#tests/oidc.ts';

const clock = new TestClock();
let latchkey: TestLatchkey;
let account: string;
before(async () => {
  latchkey = await startTestLatchkey({ clock });
  account = `${latchkey.system.config.addresses.test.auth}/account`;
});
after(() => latchkey.stop());

const visitor = (path = '', person?: Person) => visitorOf(latchkey, path, person);
const me = (person: Person, path: string) => latchkey.api(`/v1/me/${path}`, { token: person.access_token });

describe('memberships', () => {
  test('name the projects, since when and with which roles', async () => {
    const { page } = await visitor('/memberships');
    assert.match(page.text, /Shop/);
    assert.match(page.text, /Member since/);
  });

  test('leaving another project keeps the visit, leaving this one ends it', async () => {
    const { browser, person } = await visitor();
    const [, second] = latchkey.demo.projects;
    assert.ok(second);
    const joined = await latchkey.auth('/v1/auth/login/password', {
      body: {
        identifier: person.email,
        password: PASSWORD,
        workspaceId: latchkey.demo.workspaceId,
        projectId: second.id,
      },
    });
    assert.equal(joined.status, 200, joined.text);
    const both = await browser.open(`${account}/memberships`);
    const line = new RegExp(`<span>${second.name}</span>[\\s\\S]*?href="(/account/memberships/[^"]+)"`);
    const ask = await browser.open(linkIn(both, line));
    assert.match(ask.text, new RegExp(`Leave ${second.name}\\?`));
    const one = await browser.submit(ask, {}, ask.url.slice(account.length));
    assert.equal(one.url, `${account}/memberships`);
    assert.doesNotMatch(one.text, new RegExp(`<span>${second.name}</span>`));
    const last = await browser.open(linkIn(one, /href="(\/account\/memberships\/[^"]+)"/));
    const out = await browser.submit(last, {}, last.url.slice(account.length));
    assert.match(out.text, /You have left Shop/);
    assert.match((await browser.open(account)).url, /\/sign-in\//);
    assert.ok((await eventsOf(latchkey, person.session.userId)).includes('membership.deleted'));
  });

  test('the only owner cannot leave', async () => {
    const { owner } = latchkey.demo.environments.test;
    const browser = browserOf(latchkey);
    const page = await browser.submit(await browser.open(`${account}/memberships`), {
      identifier: owner.email,
      password: owner.password,
    });
    const ask = await browser.open(linkIn(page, /<span>Shop<\/span>[\s\S]*?href="(\/account\/memberships\/[^"]+)"/));
    const refused = await browser.submit(ask, {}, ask.url.slice(account.length));
    assert.match(refused.text, /You are the only owner/);
  });
});

describe('invitations', () => {
  test('to the address are accepted and declined without a script', async () => {
    const person = await prove(latchkey, await register(latchkey));
    const invitedTo = async (name: string) => {
      const { id: organizationId } = await admin(latchkey, 'organizations', { body: { name } });
      await admin(latchkey, 'invitations', { body: { email: person.email, organizationId } });
    };
    await invitedTo('Acme');
    await invitedTo('Beta');
    const { browser, page } = await visitor('/memberships', person);
    assert.match(page.text, /Invitations to your address that you have not answered/);
    const acme = page.text.slice(page.text.indexOf('<span>Acme</span>'));
    const joined = await browser.submit(page, {}, /\/invitations\/inv_\w+\/accept/.exec(acme)?.[0]);
    assert.match(joined.text, /Your change has been saved/);
    const ask = await browser.open(linkIn(joined, /href="(\/account\/invitations\/[^"]+)"/));
    assert.match(ask.text, /Decline the invitation to Beta\?/);
    const decline = `${ask.url.slice(account.length)}/decline`;
    const done = await browser.submit(ask, {}, decline);
    assert.doesNotMatch(done.text, /Invitations to your address/);
    const twice = await browser.submit(ask, {}, decline);
    assert.match(twice.text, /This no longer exists/);
    const { items } = (await me(person, 'organizations')).body;
    assert.deepEqual(
      items.map(({ name }: { name: string }) => name),
      ['Acme'],
    );
  });

  test('to a full organization say so', async () => {
    const person = await prove(latchkey, await register(latchkey));
    const { id: organizationId } = await admin(latchkey, 'organizations', { body: { name: 'Full' } });
    await admin(latchkey, 'invitations', { body: { email: person.email, organizationId } });
    const { items } = await admin(latchkey, `members?q=${encodeURIComponent((await register(latchkey)).email)}`);
    await admin(latchkey, `organizations/${organizationId}/members`, { body: { memberId: items[0].id, roles: [] } });
    await changeSettings(latchkey, { maxOrganizationMembers: 1 });
    const { browser, page } = await visitor('/memberships', person);
    const refused = await browser.submit(page, {}, /\/invitations\/inv_\w+\/accept/.exec(page.text)?.[0]);
    assert.match(refused.text, /no room for another member/);
    await changeSettings(latchkey, { maxOrganizationMembers: 100 });
  });
});

describe('a person’s data', () => {
  test('are downloaded as a file, after a recent sign-in', async () => {
    const { browser, person } = await visitor();
    const file = await browser.open(`${account}/data/export`);
    assert.equal(JSON.parse(file.text).profile.email, person.email);
    clock.advance(11 * 60_000);
    assert.match((await browser.open(`${account}/data/export`)).url, /\/sign-in\//);
  });

  test('the account is deleted after seven days, unless its person signs in', async () => {
    const { browser, page, person } = await visitor('/data/erase');
    assert.match(page.text, /After seven days/);
    const out = await browser.submit(page, {}, '/erase');
    assert.match(out.text, /will be deleted/);
    assert.equal((await me(person, 'profile')).status, 401, 'signed out everywhere');
    const eraseAt = async () =>
      (await latchkey.system.pool.query('select erase_at from users where id = $1', [person.session.userId])).rows[0]
        .erase_at;
    assert.ok((await eraseAt()) instanceof Date);
    const question = await browser.open(linkIn(out, /href="(\/account\?clientId=[^"]+)"/));
    const back = await browser.submit(question, { identifier: person.email, password: PASSWORD });
    assert.equal(back.url, account);
    assert.equal(await eraseAt(), null, 'kept');
  });
});
