import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { newApplication } from '#tests/apis.ts';
import { newCompany } from '#tests/connections.ts';
import {
  changeSettings,
  expectProblem,
  mailedToken,
  newEmail,
  ownerToken,
  register,
  startTestLatchkey,
  type TestLatchkey,
} from '#tests/harness.ts';
import { type Issuer, startIssuer } from '#tests/issuer.ts';
import { browserOf, codeFlow } from '#tests/oidc.ts';
import { createTenant, tenantManagementToken } from '#tests/tenants.ts';

const PROJECT = { logoUrl: 'https://shop.example/logo.svg', accentColor: '#107040' };
const LOOK = { name: 'Acme Works', logoUrl: 'https://acme.example/logo.svg', accentColor: '#a02060' };

let latchkey: TestLatchkey;
let upstream: Issuer;
let token: string;
let own: { clientId: string; secret: string };
before(async () => {
  [latchkey, upstream] = await Promise.all([startTestLatchkey(), startIssuer()]);
  token = await ownerToken(latchkey);
  const { clientId, secret } = await newApplication(latchkey, {});
  own = { clientId, secret: secret ?? '' };
  const { body } = await admin('settings');
  await changeSettings(latchkey, { branding: { ...body.branding, ...PROJECT }, maxOwnOrganizations: 100 });
});
after(() => Promise.all([latchkey.stop(), upstream.stop()]));

const admin = (path: string, method = 'GET', body?: unknown, as = token) =>
  latchkey.api(`/v1/admin/${path}`, { token: as, method, ...(body !== undefined && { body }) });

let count = 0;
async function branded(look: object = LOOK): Promise<{ id: string; slug: string }> {
  count += 1;
  const slug = `branded-${count}`;
  const { body } = await admin('organizations', 'POST', { name: `Company ${count}`, slug });
  const changed = await admin(`organizations/${body.id}/branding`, 'PATCH', look);
  assert.equal(changed.status, 200, changed.text);
  return { id: body.id, slug };
}

const signInPage = async (asked: Record<string, string> = {}) =>
  (await browserOf(latchkey).open((await codeFlow(latchkey, { scope: 'openid', ...asked }, own)).url)).text;

function expectProjectsOnly(page: string, what: string): void {
  assert.ok(page.includes(PROJECT.logoUrl), `${what}: ${page}`);
  assert.doesNotMatch(page, /Acme|acme\.example|#a02060/, what);
}

function expectBranded(page: string, what: string): void {
  assert.ok(page.includes(`<img src="${LOOK.logoUrl}" alt="${LOOK.name}">`), `${what}: ${page}`);
  assert.match(page, /<title>[^<]* · Acme Works<\/title>/, what);
  assert.match(page, /--accent:#a02060/, what);
  assert.ok(!page.includes(PROJECT.logoUrl), what);
}

const invite = async (body: object): Promise<string> => {
  const email = newEmail();
  const made = await admin('invitations', 'POST', { email, ...body });
  assert.equal(made.status, 201, made.text);
  return email;
};
const linkPage = async (email: string) => {
  const { auth } = latchkey.system.config.addresses.test;
  return (await browserOf(latchkey).open(`${auth}/link/invitation?token=${await mailedToken(latchkey, email)}`)).text;
};
async function mailTo(email: string): Promise<string> {
  const { body: list } = await latchkey.console(`/dev/inbox?to=${encodeURIComponent(email)}`);
  return list.items[0].html;
}

describe('the brand of an organization', () => {
  test('is shown where the request names it, by slug or id, and nowhere else', async () => {
    const [{ id, slug }, other] = [await branded(), await branded({ name: 'Other Ltd' })];
    expectBranded(await signInPage({ organization: slug }), 'slug');
    expectBranded(await signInPage({ organization: id }), 'id');
    expectProjectsOnly(await signInPage(), 'no organization');
    expectProjectsOnly(await signInPage({ organization: 'unknown' }), 'an unknown one');
    expectProjectsOnly(await signInPage({ organization: other.id }), 'another one');
    expectBranded(await signInPage({ organization: slug }), 'slug, again');
  });

  test('replaces the project’s field by field, and a change is effective at once', async () => {
    const { id, slug } = await branded({ name: 'Acme Works' });
    const named = await signInPage({ organization: slug });
    assert.ok(named.includes(`<img src="${PROJECT.logoUrl}" alt=""><span>Acme Works</span>`), named);
    assert.match(named, /--accent:#107040/);
    await admin(`organizations/${id}/branding`, 'PATCH', { logoUrl: LOOK.logoUrl, accentColor: LOOK.accentColor });
    expectBranded(await signInPage({ organization: slug }), 'changed');
    const none = { name: null, logoUrl: null, accentColor: null };
    await admin(`organizations/${id}/branding`, 'PATCH', none);
    expectProjectsOnly(await signInPage({ organization: slug }), 'removed');
  });

  test('is not shown to somebody who types an address of the company, until its connection has vouched', async () => {
    const company = await newCompany(latchkey, { issuer: upstream.issuer });
    await company.change({ status: 'enabled', justInTime: true });
    await company.call('/policy', 'PATCH', { mfa: 'required' });
    await company.call('/branding', 'PATCH', LOOK);
    const email = company.newEmail();
    const browser = browserOf(latchkey);
    const first = await browser.open((await codeFlow(latchkey, { scope: 'openid' }, own)).url);
    expectProjectsOnly(first.text, 'the first page');
    const there = await browser.submit(first, { identifier: email });
    const { auth } = latchkey.system.config.addresses.test;
    const callback = `${auth}/v1/auth/login/connections/${company.connectionId}/callback`;
    const { state } = upstream.approve(there.url);
    const denied = await browser.open(
      `${callback}?${new URLSearchParams({ state: state ?? '', error: 'access_denied' })}`,
    );
    assert.match(denied.text, /role="alert"/, denied.text);
    expectProjectsOnly(denied.text, 'after the identity provider refused');
    expectProjectsOnly((await browser.open(first.url)).text, 'the first page again');

    const again = await browser.submit(await browser.open(first.url), { identifier: email });
    upstream.claims = { sub: crypto.randomUUID(), email };
    const approved = await browser.open(`${callback}?${new URLSearchParams(upstream.approve(again.url))}`);
    assert.match(approved.url, /\/enroll$/, approved.text);
    expectBranded(approved.text, 'the second step');
  });

  test('is on the page and in the mail of an invitation to it, and on no other', async () => {
    const [acme, other] = [await branded(), await branded({ name: 'Other Ltd' })];
    const [toAcme, toOther, toProject] = [
      await invite({ organizationId: acme.id }),
      await invite({ organizationId: other.id }),
      await invite({ roles: ['viewer'] }),
    ];
    expectBranded(await linkPage(toAcme), 'the page');
    const mail = await mailTo(toAcme);
    assert.match(mail, /<img src="https:\/\/acme\.example\/logo\.svg" alt="Acme Works"/);
    assert.match(mail, /background:#a02060;color:#ffffff/);
    assert.doesNotMatch(mail, /Other Ltd|shop\.example/);
    for (const email of [toOther, toProject]) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const shown = [await linkPage(email), await mailTo(email)];
      for (const text of shown) expectProjectsOnly(text, email);
      assert.equal(shown[1]?.includes('Other Ltd'), email === toOther);
    }
  });

  test('runs no script: names are escaped, logos are images, colours are colours', async () => {
    const { id, slug } = await branded({
      name: '</title><script>alert(1)</script>',
      logoUrl: 'https://a.example/x.svg',
    });
    const page = await signInPage({ organization: slug });
    assert.ok(!page.includes('<script>') && page.includes('&lt;script&gt;'), page);
    assert.match(page, /<img src="https:\/\/a\.example\/x\.svg" alt="&lt;\/title&gt;/);
    for (const look of [
      { accentColor: 'red;}</style><script>' },
      { backgroundColor: '#12345' },
      { logoUrl: 'javascript:alert(1)' },
      { logoUrl: 'data:image/svg+xml,<svg onload=alert(1)>' },
      { logoUrl: 'https://a.example/"><script>' },
      { name: 'Acme\u202e' },
      { name: 'two\nlines' },
      { name: ' ' },
      { name: 'x'.repeat(101) },
      { text: 'Only the project has a text.' },
      {},
    ]) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const refused = await admin(`organizations/${id}/branding`, 'PATCH', look);
      expectProblem(refused, 400, 'VALIDATION_FAILED');
    }
  });

  test('with a logo at an impossible address is shown without it', async () => {
    const { slug } = await branded({ name: 'Acme Works', logoUrl: 'https://acme.example:99999/logo.svg' });
    const page = await signInPage({ organization: slug });
    assert.match(page, /<span>Acme Works<\/span>/);
    assert.ok(!page.includes('99999'));
  });

  test('is no page that a cache may keep', async () => {
    const { slug } = await branded();
    const { url } = await codeFlow(latchkey, { scope: 'openid', organization: slug }, own);
    const browser = browserOf(latchkey);
    const page = await browser.open(url);
    const cookie = [...browser.cookies.values()]
      .flatMap((jar) => [...jar])
      .map((pair) => pair.join('='))
      .join('; ');
    const { headers } = await fetch(page.url, { headers: { cookie, accept: 'text/html' } });
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.match(headers.get('content-security-policy') ?? '', /img-src 'self' data: https:\/\/acme\.example;/);
  });
});

describe('the branding of an organization', () => {
  const all = { ...LOOK, backgroundColor: null };

  test('is read and changed by administrators with a version, and leaves an event', async () => {
    const { id } = await branded();
    const path = `/v1/admin/organizations/${id}/branding`;
    const { body, headers } = await latchkey.api(path, { token });
    assert.deepEqual(body, all);
    const etag = headers.get('etag') ?? '';
    const change = { token, method: 'PATCH', headers: { 'if-match': etag } };
    assert.equal((await latchkey.api(path, { ...change, body: { name: 'Acme' } })).body.name, 'Acme');
    const late = await latchkey.api(path, { ...change, body: { name: 'Late' } });
    expectProblem(late, 412, 'PRECONDITION_FAILED');
    const { rows } = await latchkey.system.pool.query(
      `select data->'fields' as fields from events where type = 'organization.branding.changed' and data->>'organizationId' = $1 order by id`,
      [id],
    );
    assert.deepEqual(rows, [{ fields: ['accentColor', 'logoUrl', 'name'] }, { fields: ['name'] }]);
  });

  test('belongs to its project', async () => {
    const { id } = await branded();
    const theirs = await tenantManagementToken(latchkey, await createTenant(latchkey, 'brands'));
    const path = `organizations/${id}/branding`;
    expectProblem(await admin(path, 'GET', undefined, theirs), 404, 'NOT_FOUND');
    expectProblem(await admin(path, 'PATCH', { name: 'Mine' }, theirs), 404, 'NOT_FOUND');
    assert.deepEqual((await admin(path)).body, all);
  });

  test('is changed by owners; other members read it, and outsiders do not know it', async () => {
    const [owner, colleague, outsider] = await Promise.all([1, 2, 3].map(() => register(latchkey)));
    assert.ok(owner && colleague && outsider);
    const { body } = await latchkey.api('/v1/me/organizations', { token: owner.access_token, body: { name: 'Acme' } });
    const members = await admin(`members?q=${encodeURIComponent(colleague.email)}`);
    await admin(`organizations/${body.id}/members`, 'POST', { memberId: members.body.items[0].id, roles: ['admin'] });
    const mine = (who: { access_token: string }, method = 'GET', changes?: object) =>
      latchkey.api(`/v1/me/organizations/${body.id}/branding`, {
        token: who.access_token,
        method,
        ...(changes && { body: changes }),
      });
    assert.deepEqual((await mine(owner, 'PATCH', LOOK)).body, all);
    assert.deepEqual((await mine(colleague)).body, all);
    expectProblem(await mine(colleague, 'PATCH', { name: 'X' }), 403, 'AUTHORIZATION_DENIED');
    expectProblem(await mine(outsider), 404, 'NOT_FOUND');
    expectProblem(await mine(outsider, 'PATCH', { name: 'X' }), 404, 'NOT_FOUND');
    await admin(`organizations/${body.id}/block`, 'POST');
    expectProblem(await mine(owner, 'PATCH', { name: 'X' }), 403, 'ORGANIZATION_BLOCKED');
  });
});
