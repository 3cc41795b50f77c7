import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { emitAll } from '#events';
import type { EventId } from '#platform/ids.ts';
import { startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { loggedEvents } from './logged-events.ts';

/** As many as are kept. */
const KEPT = 2_000;

let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey();
});
after(() => latchkey.stop());

test('WH-1 a delivery gets its event even if reading others drops the event from memory', async () => {
  const { system, demo } = latchkey;
  const users = Array.from({ length: KEPT + 1 }, (_, index) => `usr_${index}`);
  await latchkey.inProject((tx) =>
    emitAll(
      tx,
      users.map((userId) => ({ type: 'user.logout', data: { userId, everywhere: false } })),
    ),
  );
  const { rows } = await system.pool.query<{ id: EventId }>(
    `select id from events where workspace_id = $1 and type = 'user.logout'`,
    [demo.workspaceId],
  );
  const [newest, ...kept] = rows.map(({ id }) => id);
  const [oldest] = kept;
  assert.ok(newest && oldest);
  await loggedEvents(system).get(demo.workspaceId, kept);
  const found = await loggedEvents(system).get(demo.workspaceId, [oldest, newest]);
  assert.deepEqual([found.get(oldest)?.id, found.get(newest)?.id], [oldest, newest]);
});
