import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Registry } from 'prom-client';
import { createHost } from '#platform/http.ts';
import { expectEvent, register, startTestLatchkey } from '#tests/harness.ts';

describe('what the harness watches, shown to be able to fail', () => {
  test('a statement on a tenant table that does not name the workspace fails the test', async () => {
    const latchkey = await startTestLatchkey();
    await latchkey.system.db.selectFrom('users').select('id').limit(1).execute();
    await assert.rejects(latchkey.stop(), /every statement on a tenant table names the workspace/);
  });

  test('a change that answered 2xx and left no event fails the test', async (t) => {
    const latchkey = await startTestLatchkey();
    t.after(() => latchkey.stop());
    await register(latchkey);
    await assert.rejects(expectEvent(latchkey.system, '/v1/me/profile', 'a-request-without-event'), /emitted no event/);
  });

  test('a route that declares no permission is refused', async (t) => {
    const latchkey = await startTestLatchkey();
    t.after(() => latchkey.stop());
    const app = await createHost({ ...latchkey.system, metrics: new Registry() }, { kind: 'api', environment: 'test' });
    t.after(() => app.close());
    assert.throws(() => app.get('/v1/me/planted', () => ({})), /GET \/v1\/me\/planted declares no permission/);
  });
});
