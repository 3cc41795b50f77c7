import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Registry } from 'prom-client';
import { createHost } from '#platform/http.ts';
import { SOURCE_COUNTERS, sourceCounts } from '#platform/http-sources.ts';
import { Contract } from '#tests/contract.ts';
import { expectEvent, expectProblem, newEmail, PASSWORD, register, startTestLatchkey } from '#tests/harness.ts';

describe('the checks of the harness can fail', () => {
  test('a statement on a tenant table that does not name the workspace fails the test', async () => {
    const latchkey = await startTestLatchkey();
    await latchkey.system.db.selectFrom('users').select('id').limit(1).execute();
    await assert.rejects(latchkey.stop(), /every statement on a tenant table names the workspace/);
  });

  test('a change that responds 2xx and emits no event fails the test', async (t) => {
    const latchkey = await startTestLatchkey();
    t.after(() => latchkey.stop());
    await register(latchkey);
    await assert.rejects(expectEvent(latchkey.system, '/v1/me/profile', 'a-request-without-event'), /emitted no event/);
  });

  test('a file does not inherit what the requests of another counted for their source', async (t) => {
    const first = await startTestLatchkey();
    sourceCounts(first.system).add('password', '127.0.0.1/32', SOURCE_COUNTERS.password.points);
    const body = { email: newEmail(), password: PASSWORD };
    expectProblem(await first.auth('/v1/auth/register', { body }), 429, 'RATE_LIMIT_EXCEEDED');
    await first.stop();
    const next = await startTestLatchkey();
    t.after(() => next.stop());
    assert.equal((await next.auth('/v1/auth/register', { body })).status, 200);
  });

  test('a response that its OpenAPI description does not allow fails the test', () => {
    const json = { 'application/json': { schema: { type: 'object', required: ['id'] } } };
    const problem = { 'application/problem+json': { schema: { type: 'object', required: ['errorCode'] } } };
    const contract = new Contract({
      paths: {
        '/v1/things/{id}': {
          get: { responses: { 200: { content: json }, 404: { $ref: '#/components/responses/NOT_FOUND' } } },
        },
      },
      components: { responses: { NOT_FOUND: { description: '`NOT_FOUND`', content: problem } } },
    });
    const response = { method: 'GET', path: '/v1/things/1', status: 200, type: 'application/json', text: '{"id":1}' };
    const missing = { ...response, status: 404, type: 'application/problem+json', text: '{"errorCode":"NOT_FOUND"}' };
    contract.check(response);
    contract.check(missing);
    assert.throws(() => contract.check({ ...response, text: '{}' }), /with a body its description does not allow/);
    assert.throws(
      () => contract.check({ ...response, status: 500 }),
      /answered 500, which its description does not know/,
    );
    assert.throws(
      () => contract.check({ ...response, type: 'application/problem+json' }),
      /as application\/problem\+json/,
    );
    assert.throws(() => contract.check({ ...missing, text: '{"errorCode":"CONFLICT"}' }), /404 CONFLICT, which/);
    assert.throws(() => contract.check({ ...missing, text: '{}' }), /with a body its description does not allow/);
  });

  test('a route that is not mounted, and so declares no permission, is refused', async (t) => {
    const latchkey = await startTestLatchkey();
    t.after(() => latchkey.stop());
    const app = await createHost({ ...latchkey.system, metrics: new Registry() }, { kind: 'api', environment: 'test' });
    t.after(() => app.close());
    assert.throws(() => app.get('/v1/me/planted', () => ({})), /GET \/v1\/me\/planted is not mounted/);
  });
});
