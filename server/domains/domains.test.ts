import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { bindHost, callAt, startDomains } from '#tests/domains.ts';
import { expectProblem, requestManagementToken, startTestLatchkey } from '#tests/harness.ts';
import { createTenant, tenantManagementToken } from '#tests/tenants.ts';
import { recheckDomains } from './domain-checks.ts';

const DOMAINS = '/v1/admin/domains';
const HOUR_MS = 3_600_000;
const UNKNOWN = 'dom_01kaz3w9hqf8p9n2m4v5x6y7z8';

const { latchkey, dns, clock, admin, elsewhere, claim, publish, verify, verified, eventsAbout, stop } =
  await startDomains();
after(stop);

describe('claiming', () => {
  test('201 with the TXT record that proves the host; the list and the record show it', async () => {
    const domain = await claim('Login.Shop.Example.');
    const { verification, createdAt } = domain;
    assert.match(verification.value, /^latchkey-verification=[\w-]{43}$/);
    assert.deepEqual(domain, {
      id: domain.id,
      host: 'login.shop.example',
      organizationId: null,
      status: 'pending',
      verification: { type: 'TXT', name: '_latchkey-verification.login.shop.example', value: verification.value },
      fault: null,
      checkedAt: null,
      verifiedAt: null,
      lostAt: null,
      createdAt,
    });
    assert.deepEqual((await admin(`/${domain.id}`)).body, domain);
    assert.deepEqual((await admin('?limit=1')).body.items, [domain]);
    expectProblem(await elsewhere(`/${domain.id}`), 404, 'NOT_FOUND');
    expectProblem(await admin('', { body: { host: 'login.shop.example' } }), 409, 'ALREADY_EXISTS');
  });

  test('names in other scripts are kept in ASCII', async () => {
    assert.equal((await claim('anmelden.bücher.example')).host, 'anmelden.xn--bcher-kva.example');
    assert.equal((await claim('登录。例子.example')).host, 'xn--w2t382c.xn--fsqu00a.example');
  });

  for (const host of [
    'https://login.example.com',
    'login.example.com:443',
    'login.example.com/path',
    '*.example.com',
    'user@example.com',
    'example',
    'localhost',
    'printer.local',
    'host.internal',
    '127.0.0.1',
    '0x7f.1',
    '[::1]',
    '-a.example.com',
    'a_b.example.com',
    'a..example.com',
    'exa mple.com',
    'xn--a.example.com',
    `${'a'.repeat(64)}.example.com`,
    `${'abcdefgh.'.repeat(26)}example`,
  ])
    test(`400 for "${host.slice(0, 40)}"`, async () => {
      const response = await admin('', { body: { host } });
      expectProblem(response, 400, 'VALIDATION_FAILED');
      assert.equal(response.body.errors[0].pointer, '/body/host');
    });

  test('400 for an address of the installation itself', async () => {
    const own = await startTestLatchkey({ settings: { LATCHKEY_TEST_API_URL: 'http://api.latchkey.example' } });
    try {
      const { managementClientId, managementClientSecret } = own.demo.environments.test;
      const response = await requestManagementToken(own, { resource: 'http://api.latchkey.example' });
      assert.ok(managementClientId && managementClientSecret);
      const refused = await callAt(own, `http://api.latchkey.example${DOMAINS}`, {
        port: own.system.config.ports.test.api,
        token: response.body.access_token,
        body: { host: 'api.latchkey.example' },
      });
      expectProblem(refused, 400, 'VALIDATION_FAILED');
    } finally {
      await own.stop();
    }
  });

  test('at most 50 domains, also when they are added concurrently', async () => {
    const tenant = await createTenant(latchkey, 'many');
    const token = await tenantManagementToken(latchkey, tenant);
    const responses = await Promise.all(
      Array.from({ length: 55 }, (_, index) =>
        latchkey.api(DOMAINS, { token, body: { host: `host${index}.many.example` } }),
      ),
    );
    const statuses = responses.map(({ status }) => status);
    assert.deepEqual(
      [statuses.filter((status) => status === 201).length, statuses.filter((status) => status === 409).length],
      [50, 5],
    );
  });
});

describe('verifying', () => {
  test('409 names the expected record and the records found, and changes nothing', async () => {
    const domain = await claim('missing.shop.example');
    const none = await verify(domain);
    expectProblem(none, 409, 'DOMAIN_NOT_VERIFIED');
    assert.deepEqual([none.body.expected, none.body.found], [domain.verification.value, []]);
    dns.zone.set(domain.verification.name, [['latchkey-verification=another']]);
    const wrong = await verify(domain);
    expectProblem(wrong, 409, 'DOMAIN_NOT_VERIFIED');
    assert.deepEqual(wrong.body.found, ['latchkey-verification=another']);
    dns.zone.set(domain.verification.name, 'servfail');
    const broken = await verify(domain);
    expectProblem(broken, 409, 'DOMAIN_NOT_VERIFIED');
    assert.match(broken.body.detail, /ESERVFAIL/);
    const { body } = await admin(`/${domain.id}`);
    assert.deepEqual([body.status, body.checkedAt], ['pending', clock.now().toISOString()]);
    assert.deepEqual(await eventsAbout(domain.id), ['domain.created']);
  });

  test('200 when the record exists, even split into parts or next to other records', async () => {
    const domain = await claim('parts.shop.example');
    const { value } = domain.verification;
    publish(domain, [value.slice(0, 30), value.slice(30)]);
    const response = await verify(domain);
    assert.deepEqual([response.status, response.body.status, response.body.fault], [200, 'verified', null]);
    assert.equal((await verify(domain)).status, 200);
    assert.deepEqual(await eventsAbout(domain.id), ['domain.created', 'domain.verified', 'domain.checked']);
  });

  test('404 for a domain of another project, 429 after ten look-ups in a minute', async () => {
    const domain = await claim('often.shop.example');
    expectProblem(await verify(domain, elsewhere), 404, 'NOT_FOUND');
    expectProblem(await verify({ id: UNKNOWN }), 404, 'NOT_FOUND');
    const responses = await Promise.all(Array.from({ length: 12 }, () => verify(domain)));
    assert.equal(responses.filter(({ status }) => status === 429).length, 2);
    assert.equal(dns.asked(domain.verification.name), 10);
  });
});

describe('a host has one holder', () => {
  test('a host that another project verified cannot be claimed; its holder’s proof is looked up again soon', async () => {
    const domain = await verified('held.shop.example');
    const before = dns.asked(domain.verification.name);
    expectProblem(await elsewhere('', { body: { host: 'held.shop.example' } }), 409, 'ALREADY_EXISTS');
    await recheckDomains(latchkey.system);
    assert.equal(dns.asked(domain.verification.name), before, 'looked up less than an hour ago');
    clock.advance(HOUR_MS);
    await recheckDomains(latchkey.system);
    assert.equal(dns.asked(domain.verification.name), before + 1);
  });

  test('only one of several concurrent claims to a free host succeeds', async () => {
    const domains = [await claim('wanted.shop.example'), await claim('wanted.shop.example', elsewhere)];
    dns.zone.set(domains[0].verification.name, [[domains[0].verification.value], [domains[1].verification.value]]);
    const responses = await Promise.all([verify(domains[0]), verify(domains[1], elsewhere)]);
    assert.deepEqual(responses.map(({ status }) => status).toSorted(), [200, 409]);
    const { rows } = await latchkey.system.pool.query(
      `select count(*) from domains where host = 'wanted.shop.example' and status = 'verified'`,
    );
    assert.equal(rows[0].count, 1);
  });

  test('after a domain is removed and claimed again, the old record proves nothing', async () => {
    const first = await verified('again.shop.example');
    assert.equal((await admin(`/${first.id}`, { method: 'DELETE' })).status, 204);
    assert.deepEqual((await eventsAbout(first.id)).at(-1), 'domain.deleted');
    const second = await claim('again.shop.example');
    assert.notEqual(second.verification.value, first.verification.value);
    expectProblem(await verify(second), 409, 'DOMAIN_NOT_VERIFIED');
    publish(second);
    assert.equal((await verify(second)).status, 200);
  });
});

describe('the daily look-up', () => {
  /** Looks up every domain that is due by then. */
  async function later(hours: number): Promise<void> {
    clock.advance(hours * HOUR_MS);
    await recheckDomains(latchkey.system);
  }

  async function statusOf({ id }: { id: string }): Promise<string> {
    return (await admin(`/${id}`)).body.status;
  }

  test('two look-ups an hour apart without the record lose the domain: it stops serving and needs a new token', async () => {
    const { id, name, auth } = await bindHost(latchkey, dns, { host: 'daily.shop.example' });
    const before = (await admin(`/${id}`)).body.verification.value;
    const methods = () => callAt(latchkey, `${auth}/v1/auth/methods`);
    assert.equal((await methods()).status, 200);
    await later(24);
    assert.equal(await statusOf({ id }), 'verified');
    const kept = dns.zone.get(name) ?? [];
    dns.zone.delete(name);
    await later(23);
    assert.equal(await statusOf({ id }), 'verified', 'not due yet');
    await later(1);
    assert.equal(await statusOf({ id }), 'verified');
    assert.match((await admin(`/${id}`)).body.fault, /no TXT record/);
    assert.equal((await methods()).status, 200);
    await later(1);
    assert.equal(await statusOf({ id }), 'lost');
    expectProblem(await methods(), 421, 'UNKNOWN_HOST');
    assert.deepEqual((await eventsAbout(id)).slice(-2), ['domain.check_failed', 'domain.lost']);
    dns.zone.set(name, kept);
    expectProblem(await verify({ id }), 409, 'DOMAIN_NOT_VERIFIED');
    const { verification } = (await admin(`/${id}`)).body;
    assert.notEqual(verification.value, before);
    publish({ verification });
    assert.equal((await verify({ id })).status, 200);
    assert.equal((await methods()).status, 200);
  });

  test('a domain is kept if its record comes back in time, or the name server does not respond', async () => {
    const { id, name } = await bindHost(latchkey, dns, { host: 'flaky.shop.example' });
    const kept = dns.zone.get(name) ?? [];
    dns.zone.set(name, 'servfail');
    await later(24);
    await later(1);
    await later(1);
    assert.equal(await statusOf({ id }), 'verified');
    dns.zone.delete(name);
    await later(1);
    dns.zone.set(name, kept);
    await later(1);
    dns.zone.delete(name);
    await later(24);
    assert.equal(await statusOf({ id }), 'verified', 'two failures, but not in a row');
    dns.zone.set(name, kept);
    await later(1);
    assert.deepEqual([await statusOf({ id }), (await admin(`/${id}`)).body.fault], ['verified', null]);
  });

  test('a lost host goes to the next project that proves it; the former holder keeps no bindings', async () => {
    const { id, name } = await bindHost(latchkey, dns, { host: 'sold.shop.example', purposes: ['auth', 'api'] });
    dns.zone.delete(name);
    await later(24);
    await later(1);
    assert.equal(await statusOf({ id }), 'lost');
    const theirs = await verified('sold.shop.example', elsewhere);
    assert.deepEqual((await admin(`/${id}/bindings`)).body.items, []);
    assert.deepEqual((await eventsAbout(id)).slice(-2), ['domain.unbound', 'domain.unbound']);
    publish((await admin(`/${id}`)).body);
    expectProblem(await verify({ id }), 409, 'ALREADY_EXISTS');
    assert.equal((await elsewhere(`/${theirs.id}`)).body.status, 'verified');
  });
});
