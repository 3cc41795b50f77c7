import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { eventually, managementToken, newEmail, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';

let latchkey: TestLatchkey;
let token: string;
before(async () => {
  latchkey = await startTestLatchkey();
  token = await managementToken(latchkey);
});
after(() => latchkey.stop());

/** Adds more members than the planner knows of, so that an import wants to analyse. */
async function outgrow(client: pg.Client): Promise<void> {
  await client.query(
    `with people as (
       insert into users (workspace_id, environment, id, display_name, search, created_at, updated_at)
       select $1, 'test', 'usr_' || n, 'Filler', '', now(), now() from generate_series(1, 2500) n returning id)
     insert into members (workspace_id, project_id, environment, id, user_id, status, created_at)
     select $1, $2, 'test', 'mem' || substr(id, 4), id, 'active', now() from people`,
    [latchkey.demo.workspaceId, latchkey.demo.projects[0]?.id],
  );
}

test('an import goes on while something else analyses its tables or builds an index on them', async () => {
  const other = new pg.Client({ connectionString: latchkey.databaseUrl });
  await other.connect();
  await outgrow(other);
  await other.query('begin; lock table members, users in share update exclusive mode');
  const headers = { 'content-type': 'application/x-ndjson' };
  const body = JSON.stringify({ email: newEmail() });
  const started = await latchkey.api('/v1/admin/members/import', { token, body, headers });
  assert.equal(started.status, 202, started.text);
  await eventually(async () => {
    const { body: report } = await latchkey.api(`/v1/admin/members/import/${started.body.id}`, { token });
    assert.deepEqual([report.status, report.created], ['completed', 1]);
  });
  await other.end();
});
