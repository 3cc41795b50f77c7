import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { connect } from 'node:tls';
import { decodeJwt } from 'jose';
import { part as domainsPart } from '#domains';
import { startAuthority, type TestAuthority } from '#tests/acme.ts';
import { bindHost, callAt, startDns, type TestDns } from '#tests/domains.ts';
import {
  eventually,
  expectProblem,
  managementToken,
  PASSWORD,
  register,
  startTestLatchkey,
  TestClock,
  type TestLatchkey,
} from '#tests/harness.ts';
import { freePortBase } from '#tests/ports.ts';
import { createTenant, tenantManagementToken } from '#tests/tenants.ts';

const HOUR_MS = 3_600_000;

const clock = new TestClock();
let httpsPort: number;
let httpPort: number;
let dns: TestDns;
let authority: TestAuthority;
let latchkey: TestLatchkey;
before(async () => {
  const base = await freePortBase();
  [httpsPort, httpPort] = [base, base + 1];
  dns = await startDns();
  authority = await startAuthority(httpPort, clock);
  latchkey = await startTestLatchkey({
    clock,
    settings: {
      LATCHKEY_DNS_SERVERS: dns.address,
      LATCHKEY_ACME_DIRECTORY: authority.directory,
      LATCHKEY_ACME_EMAIL: 'admin@shop.example',
      LATCHKEY_HTTPS_PORT: String(httpsPort),
      LATCHKEY_HTTP_PORT: String(httpPort),
    },
  });
});
after(async () => {
  await latchkey.stop();
  authority.stop();
  dns.stop();
});

type Call = Parameters<typeof callAt>[2];
const secure = (url: string, call: Call = {}) =>
  callAt(latchkey, url, { ...call, port: httpsPort, ca: authority.root });

async function certificateEvents(id: string): Promise<string[]> {
  const { rows } = await latchkey.system.pool.query(
    `select type from events where type like 'domain.certificate.%' and data->>'domainId' = $1 order by id`,
    [id],
  );
  return rows.map(({ type }) => type);
}

/** The end of the lifetime of the certificate that a host presents, or the error of the connection if there is none. */
function presented(host: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port: httpsPort, servername: host, ca: authority.root }, () => {
      resolve(socket.getPeerCertificate().serialNumber);
      socket.destroy();
    });
    socket.on('error', (error: Error & { code?: string }) => resolve(error.code ?? error.message));
  });
}

describe('certificates by ACME', () => {
  test('the domain of a status page gets one, and serves the page by https and nothing else', async () => {
    const tenant = await createTenant(latchkey, 'tlspage');
    const token = await tenantManagementToken(latchkey, tenant);
    await latchkey.api('/v1/admin/status/page', { token, method: 'PUT', body: { published: true } });
    const { projectId } = tenant.scope;
    const bound = { host: 'status.tlspage.example', purposes: ['status' as const], token, projectId };
    const { status } = await bindHost(latchkey, dns, bound);
    assert.equal(status, 'https://status.tlspage.example');
    const page = await eventually(() => secure(`${status}/`));
    assert.equal(page.status, 200, page.text);
    assert.match(page.text, /tlspage project/);
    assert.match(page.headers.get('strict-transport-security') ?? '', /max-age=31536000/);
    const others = ['/v1/admin/domains', '/v1/me/profile', '/account', '/console', '/openapi.json'];
    const responses = await Promise.all(others.map((path) => secure(status + path)));
    assert.deepEqual(
      responses.map((response) => response.status),
      [404, 404, 404, 404, 404],
    );
  });

  test('a bound host gets one, and serves https with it as an issuer of its own', async () => {
    const { id, auth, api } = await bindHost(latchkey, dns, { host: 'login.shop.example', purposes: ['auth', 'api'] });
    assert.deepEqual([auth, api], ['https://login.shop.example', 'https://login.shop.example']);
    const discovery = await eventually(() => secure(`${auth}/.well-known/openid-configuration`));
    assert.equal(discovery.body.issuer, auth);
    assert.match(discovery.headers.get('strict-transport-security') ?? '', /max-age=31536000/);
    const person = await register(latchkey);
    const login = await secure(`${auth}/v1/auth/login/password`, {
      body: { identifier: person.email, password: PASSWORD },
    });
    assert.deepEqual([login.status, decodeJwt(login.body.access_token).iss], [200, auth], login.text);
    const context = await secure(`${api}/v1/me/context`, { token: login.body.access_token });
    assert.equal(context.status, 200, context.text);
    expectProblem(await secure(`${api}/v1/admin/nothing`), 404, 'NOT_FOUND');
    await eventually(async () => assert.deepEqual(await certificateEvents(id), ['domain.certificate.issued']));
    assert.equal(authority.orders.filter((host) => host === 'login.shop.example').length, 1);
    const { rows } = await latchkey.system.pool.query(
      'select key_sealed from domain_certificates where domain_id = $1',
      [id],
    );
    assert.match(rows[0].key_sealed, /^k1\./, 'the key is encrypted');
  });

  test('a name without a certificate gets no connection, and an unbound one no response', async () => {
    assert.match(await presented('stranger.shop.example'), /^E/);
    const { id, auth } = await bindHost(latchkey, dns, { host: 'gone.shop.example' });
    await eventually(() => secure(`${auth}/api/status/summary`));
    const token = await managementToken(latchkey);
    await latchkey.api(`/v1/admin/domains/${id}/bindings?purpose=auth`, { method: 'DELETE', token });
    assert.equal((await secure(`${auth}/api/status/summary`)).status, 421);
    await latchkey.api(`/v1/admin/domains/${id}`, { method: 'DELETE', token });
    assert.match(await presented('gone.shop.example'), /^E/);
  });

  test('plain http responds only to the authority, and redirects people of a bound host to https', async () => {
    const { auth } = await bindHost(latchkey, dns, { host: 'plain.shop.example' });
    const plain = (host: string, path: string) => callAt(latchkey, `http://${host}${path}`, { port: httpPort });
    const there = await plain('plain.shop.example', '/link/password?token=x');
    assert.deepEqual([there.status, there.headers.get('location')], [308, `${auth}/link/password?token=x`]);
    assert.equal((await plain('evil.example', '/')).status, 421);
    assert.equal((await plain('plain.shop.example', '/.well-known/acme-challenge/unknown')).status, 404);
  });

  test('a certificate close to its expiry is replaced', async () => {
    const orders = () => authority.orders.filter((host) => host === 'renewed.shop.example').length;
    const { id, auth } = await bindHost(latchkey, dns, { host: 'renewed.shop.example' });
    await eventually(() => secure(`${auth}/api/status/summary`));
    const first = await presented('renewed.shop.example');
    clock.advance(59 * 24 * HOUR_MS);
    await domainsPart.cleanUps.orderCertificates(latchkey.system);
    assert.equal(orders(), 1);
    clock.advance(2 * 24 * HOUR_MS);
    await domainsPart.cleanUps.orderCertificates(latchkey.system);
    assert.equal(orders(), 2);
    assert.notEqual(await presented('renewed.shop.example'), first);
    assert.equal((await certificateEvents(id)).length, 2);
  });
});

describe('an authority that refuses', () => {
  test('the fault is an event, and the order is repeated later', async () => {
    const names = await startDns();
    const base = await freePortBase();
    // Nothing responds to its challenges there.
    const own = new TestClock();
    const strict = await startAuthority(base + 5, own);
    const refused = await startTestLatchkey({
      clock: own,
      settings: {
        LATCHKEY_DNS_SERVERS: names.address,
        LATCHKEY_ACME_DIRECTORY: strict.directory,
        LATCHKEY_ACME_EMAIL: 'admin@shop.example',
        LATCHKEY_HTTPS_PORT: String(base),
        LATCHKEY_HTTP_PORT: String(base + 1),
      },
    });
    try {
      const { id } = await bindHost(refused, names, { host: 'refused.shop.example' });
      const failures = async () => {
        const { rows } = await refused.system.pool.query(
          `select data from events where type = 'domain.certificate.failed' and data->>'domainId' = $1`,
          [id],
        );
        return rows.length;
      };
      await eventually(async () => assert.equal(await failures(), 1));
      for (const [hours, expected] of [
        [0.9, 1],
        [0.2, 2],
        [1.1, 2],
        [1, 3],
      ] as const) {
        own.advance(hours * HOUR_MS);
        // biome-ignore lint/performance/noAwaitInLoops: the clock goes on
        await domainsPart.cleanUps.orderCertificates(refused.system);
        assert.equal(await failures(), expected);
      }
    } finally {
      await refused.stop();
      strict.stop();
      names.stop();
    }
  });
});
