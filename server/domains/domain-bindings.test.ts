import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { bindHost, callAt, startDomains } from '#tests/domains.ts';
import { eventually, expectProblem, managementToken, PASSWORD, register } from '#tests/harness.ts';
import { startSecondProcess } from '#tests/second-process.ts';

const { latchkey, dns, clock, other, admin, elsewhere, claim, publish, verify, verified, eventsAbout, stop } =
  await startDomains();
after(stop);

const place = () => ({ projectId: latchkey.demo.projects[0]?.id, environment: 'test' });

describe('bindings', () => {
  test('a binding adds a callback address to every identity provider, in addition to the environment’s own', async () => {
    const token = await managementToken(latchkey);
    const path = '/v1/admin/identity-providers';
    const { body: made } = await latchkey.api(path, {
      token,
      body: { preset: 'github', key: 'hub', clientId: 'client', clientSecret: 'secret' },
    });
    const bound = await bindHost(latchkey, dns, { host: 'callback.example' });
    const { body: read } = await latchkey.api(`${path}/${made.id}`, { token });
    const callback = '/v1/auth/login/social/hub/callback';
    const own = latchkey.system.config.addresses.test.auth + callback;
    assert.deepEqual(
      [made.callbackUrls, read.callbackUrl, read.callbackUrls],
      [[own], own, [own, bound.auth + callback]],
    );
    await admin(`/${bound.id}`, { method: 'DELETE' });
    assert.deepEqual((await latchkey.api(`${path}/${made.id}`, { token })).body.callbackUrls, [own]);
  });

  test('409 before the domain is verified; one binding per purpose; DELETE removes it', async () => {
    const domain = await claim('bound.shop.example');
    const bindings = `/${domain.id}/bindings`;
    const body = { ...place(), purpose: 'auth' };
    expectProblem(await admin(bindings, { body }), 409, 'DOMAIN_NOT_VERIFIED');
    publish(domain);
    await verify(domain);
    const { status, body: bound } = await admin(bindings, { body });
    const { port } = new URL(latchkey.system.config.addresses.test.auth);
    assert.deepEqual(
      [status, bound],
      [201, { ...body, address: `http://bound.shop.example:${port}`, createdAt: clock.now().toISOString() }],
    );
    expectProblem(await admin(bindings, { body }), 409, 'ALREADY_EXISTS');
    assert.equal((await admin(bindings, { body: { ...body, purpose: 'api' } })).status, 201);
    assert.deepEqual(
      (await admin(bindings)).body.items.map(({ purpose }: { purpose: string }) => purpose),
      ['api', 'auth'],
    );
    const first = await admin(`${bindings}?limit=1`);
    assert.deepEqual([first.body.items.length, first.body.items[0].purpose], [1, 'api']);
    const rest = () => admin(`${bindings}?limit=1&cursor=${first.body.nextCursor}`);
    const { body: second } = await rest();
    assert.deepEqual([second.items[0].purpose, second.nextCursor], ['auth', null]);
    expectProblem(await admin(`/${domain.id}/bindings?cursor=bm9uc2Vuc2U`), 400, 'INVALID_CURSOR');
    assert.equal((await admin(`${bindings}?purpose=api`, { method: 'DELETE' })).status, 204);
    assert.deepEqual((await rest()).body.items, [second.items[0]], 'BI-2 what is gone does not begin the list anew');
    expectProblem(await admin(`${bindings}?purpose=api`, { method: 'DELETE' }), 404, 'NOT_FOUND');
    assert.deepEqual(await eventsAbout(domain.id), [
      'domain.created',
      'domain.verified',
      'domain.bound',
      'domain.bound',
      'domain.unbound',
    ]);
  });

  test('403 for another project or environment than the domain’s own, 404 for a foreign domain', async () => {
    const domain = await verified('place.shop.example');
    const bindings = `/${domain.id}/bindings`;
    const [, helpdesk] = latchkey.demo.projects;
    for (const changes of [{ projectId: helpdesk?.id }, { environment: 'production' }, { environment: 'prod' }]) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const response = await admin(bindings, { body: { ...place(), purpose: 'auth', ...changes } });
      expectProblem(response, 403, 'CONTEXT_NOT_ALLOWED');
    }
    const { projectId, environment } = other.scope;
    expectProblem(await elsewhere(bindings, { body: { projectId, environment, purpose: 'auth' } }), 404, 'NOT_FOUND');
    expectProblem(await elsewhere(bindings), 404, 'NOT_FOUND');
  });

  test('a bound host serves only its purpose, in its environment', async () => {
    const { auth } = await bindHost(latchkey, dns, { host: 'kind.shop.example' });
    const { ports } = latchkey.system.config;
    const at = (port: number) => callAt(latchkey, `${auth}/api/status/summary`, { port });
    assert.equal((await at(ports.test.auth)).status, 200);
    for (const port of [ports.test.api, ports.production.auth, ports.console]) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      expectProblem(await at(port), 421, 'UNKNOWN_HOST');
    }
    assert.equal((await callAt(latchkey, `${auth.replace('.example', '.example.')}/api/status/summary`)).status, 200);
  });

  test('the Host decides the project; a request that names another is refused', async () => {
    const tenant = other;
    const domain = await verified('tenant.shop.example', elsewhere);
    const { projectId, environment, workspaceId } = tenant.scope;
    const { body } = await elsewhere(`/${domain.id}/bindings`, { body: { projectId, environment, purpose: 'auth' } });
    const login = (fields: object) =>
      callAt(latchkey, `${body.address}/v1/auth/login/password`, {
        body: { identifier: tenant.owner, password: PASSWORD, ...fields },
      });
    const response = await login({});
    assert.deepEqual([response.status, response.body.session?.projectId], [200, projectId], response.text);
    assert.equal((await login({ workspaceId, projectId })).status, 200);
    const { workspaceId: demo, projects, environments } = latchkey.demo;
    expectProblem(await login({ workspaceId: demo, projectId: projects[0]?.id }), 403, 'CONTEXT_NOT_ALLOWED');
    expectProblem(await login({ clientId: environments.test.clientId }), 403, 'CONTEXT_NOT_ALLOWED');
    expectProblem(await login({ environment: 'production' }), 400, 'ENVIRONMENT_MISMATCH');
    const stranger = await register(latchkey);
    const refresh = await callAt(latchkey, `${body.address}/v1/sessions/refresh`, {
      body: { refresh_token: stranger.refresh_token },
    });
    expectProblem(refresh, 403, 'CONTEXT_NOT_ALLOWED');
    const logout = await callAt(latchkey, `${body.address}/v1/sessions/logout`, {
      token: stranger.access_token,
      body: {},
    });
    expectProblem(logout, 403, 'CONTEXT_NOT_ALLOWED');
    const still = await latchkey.auth('/v1/sessions/refresh', { body: { refresh_token: stranger.refresh_token } });
    assert.equal(still.status, 200, 'the token was not spent');
  });

  test('every process serves a bound host immediately, and stops immediately', async () => {
    const second = await startSecondProcess(latchkey, { LATCHKEY_DNS_SERVERS: dns.address });
    try {
      const summary = (url: string) => callAt(latchkey, `${url}/api/status/summary`, { port: second.ports.auth });
      const early = await callAt(latchkey, 'http://every.shop.example/api/status/summary', { port: second.ports.auth });
      expectProblem(early, 421, 'UNKNOWN_HOST');
      const { id, auth } = await bindHost(latchkey, dns, { host: 'every.shop.example' });
      await eventually(async () => assert.equal((await summary(auth)).status, 200));
      assert.equal((await admin(`/${id}/bindings?purpose=auth`, { method: 'DELETE' })).status, 204);
      await eventually(async () => assert.equal((await summary(auth)).status, 421));
    } finally {
      await second.stop();
    }
  });
});
