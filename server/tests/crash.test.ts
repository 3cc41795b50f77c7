import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crashTest } from '#tests/crash.ts';

test('WH-1 BI-5 server and worker killed, PostgreSQL restarted: no acknowledged change and no event is lost (short; npm run test:crash is the long form)', async () => {
  const { acknowledged, received } = await crashTest({ kills: 4, restarts: 1 });
  assert.ok(acknowledged > 20);
  assert.ok(received >= 2 * acknowledged);
});
