import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { createDemo, type Demo } from '#hosts';
import { eventually, newEmail, PASSWORD, type TestLatchkey } from '#tests/harness.ts';

export const WORKSPACES = 14;

export type Acknowledged = { demo: Demo; userId: string; refreshToken: string };

/** The user of an access token. */
function subjectOf(token: string): string {
  const [, payload = ''] = token.split('.');
  return Object(JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'))).sub;
}

/** Creates {@link WORKSPACES} workspaces, each with a project that people register in. */
export async function createDemos(latchkey: TestLatchkey): Promise<Demo[]> {
  const demos: Demo[] = [];
  for (let number = 0; number < WORKSPACES; number += 1)
    // biome-ignore lint/performance/noAwaitInLoops: one after the other
    demos.push(await createDemo(latchkey.system, `operator.${number}@demo.example`, { organizations: false }));
  return demos;
}

/** Registers people in turn in each workspace, until told to stop or the test ends. */
export function load(t: TestContext, latchkey: TestLatchkey, demos: readonly Demo[]) {
  const acknowledged: Acknowledged[] = [];
  const failures: { status: number; retryAfter: string | null }[] = [];
  let running = true;
  const one = async (demo: Demo) => {
    const { auth } = latchkey.system.config.addresses.test;
    const { clientId } = demo.environments.test;
    const post = (path: string, body: object) =>
      fetch(auth + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const failed = ({ status, headers }: Response) => failures.push({ status, retryAfter: headers.get('retry-after') });
    const registered = await post('/v1/auth/register', { clientId, email: newEmail(), password: PASSWORD });
    if (registered.status !== 200) return failed(registered);
    const session = Object(await registered.json());
    const refreshed = await post('/v1/sessions/refresh', { refresh_token: session.refresh_token });
    if (refreshed.status !== 200) failed(refreshed);
    const token = refreshed.status === 200 ? Object(await refreshed.json()).refresh_token : session.refresh_token;
    return acknowledged.push({ demo, userId: subjectOf(session.access_token), refreshToken: token });
  };
  const loops = demos.map(async (demo) => {
    // biome-ignore lint/performance/noAwaitInLoops: one request of a workspace after the other
    while (running) await one(demo);
  });
  const end = async () => {
    running = false;
    await Promise.all(loops);
    return { acknowledged, failures };
  };
  t.after(end);
  return { acknowledged, end };
}

/** Everything acknowledged is there, with a numbered event, without gaps and duplicates. */
export async function expectKept({ system }: TestLatchkey, acknowledged: readonly Acknowledged[]): Promise<void> {
  const ids = acknowledged.map(({ userId }) => userId);
  const { pool } = system;
  const found = await pool.query('select id from users where id = any($1)', [ids]);
  assert.equal(found.rowCount, ids.length);
  await eventually(async () => {
    const numbered = await pool.query(
      "select distinct data->>'userId' from events where type = 'user.created' and sequence is not null and data->>'userId' = any($1)",
      [ids],
    );
    assert.equal(numbered.rowCount, ids.length);
  });
  const { rows } = await pool.query(
    'select count(*) as events, count(distinct sequence) as numbers, max(sequence) as last from events where sequence is not null group by workspace_id, project_id, environment',
  );
  for (const { events, numbers, last } of rows) assert.deepEqual([numbers, last], [events, events]);
}
