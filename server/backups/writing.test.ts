import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { newBackupKey } from './encryption.ts';
import { exportWorkspace } from './workspace-export.ts';
import { writeBackup } from './writing.ts';

let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey({ own: 'it ends connections' });
});
after(() => latchkey.stop());

const LOST = /connection|terminat/i;
const showProgress = () => ({ advance: () => undefined, end: () => undefined });

/** Stores a file, and ends the database connection that the rows come from at the first chunk. */
function endingConnection(name: string): (content: AsyncIterable<Buffer>) => Promise<void> {
  return async (content) => {
    let bytes = 0;
    for await (const chunk of content) {
      if (bytes === 0)
        await latchkey.system.pool.query(
          'select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = current_database() and application_name = $1',
          [name],
        );
      bytes += chunk.length;
    }
    assert.fail(`it ended after ${bytes} bytes`);
  };
}

for (const text of ['a backup', 'an encrypted backup'])
  test(`${text} fails when the database goes away`, async () => {
    const key = text === 'a backup' ? null : (await newBackupKey()).secret;
    const store = endingConnection('latchkey-backup');
    const writing = writeBackup(latchkey.databaseUrl, { latchkey: 'test', secretIds: [], key, showProgress, store });
    await assert.rejects(writing, LOST);
  });

test('the export of a workspace fails when the database goes away', async () => {
  const { secret: key } = await newBackupKey();
  const { system, demo } = latchkey;
  const store = endingConnection('latchkey-workspace-export');
  const exporting = exportWorkspace(system, { workspaceId: demo.workspaceId, close: false, key, showProgress, store });
  await assert.rejects(exporting, LOST);
});
