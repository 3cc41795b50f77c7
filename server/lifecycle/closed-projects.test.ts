import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createApplication } from '#applications';
import type { Scope } from '#platform/ctx.ts';
import { newId } from '#platform/ids.ts';
import { addJob } from '#platform/jobs.ts';
import { eventually, newEmail, PASSWORD, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { browserOf, codeFlow, signInOn } from '#tests/oidc.ts';
import { type Operator, signInOperator } from '#tests/operators.ts';

let latchkey: TestLatchkey;
let owner: Operator;
before(async () => {
  latchkey = await startTestLatchkey();
  owner = await signInOperator(latchkey);
});
after(() => latchkey.stop());

async function newProject(name: string): Promise<Scope> {
  const { body } = await owner.call('/console/v1/projects', { body: { name } });
  return { workspaceId: latchkey.demo.workspaceId, projectId: body.id, environment: 'test' };
}

const drop = (projectId: string) => owner.call(`/console/v1/projects/${projectId}`, { method: 'DELETE' });

describe('flows that started before their project was closed', () => {
  test('a browser that signed in there must sign in again at other projects and their account page', async () => {
    const scope = await newProject('Left');
    const redirectUri = 'http://localhost:5173/callback';
    const { clientId } = await latchkey.inProject(
      (tx) => createApplication(tx, { kind: 'spa', name: 'Left', redirectUris: [redirectUri] }),
      scope,
    );
    const email = newEmail();
    const there = { workspaceId: scope.workspaceId, projectId: scope.projectId, email, password: PASSWORD };
    assert.equal((await latchkey.auth('/v1/auth/register', { body: there })).status, 200);
    await latchkey.auth('/v1/auth/login/password', { body: { identifier: email, password: PASSWORD } });
    const browser = browserOf(latchkey);
    const account = `${latchkey.system.config.addresses.test.auth}/account`;
    await signInOn(latchkey, await codeFlow(latchkey, {}, { clientId, redirectUri }), { email }, browser);
    assert.match((await browser.open((await codeFlow(latchkey)).url)).url, /[?&]code=/, 'one sign-in serves both');
    assert.equal((await drop(scope.projectId)).status, 202);
    const flow = await codeFlow(latchkey);
    for (const url of [flow.url, account]) {
      // biome-ignore lint/performance/noAwaitInLoops: one browser
      assert.match((await browser.open(url)).url, /\/sign-in\//);
    }
    await flow.finish(await signInOn(latchkey, flow, { email }, browser));
    const page = await browser.open(account);
    assert.deepEqual([page.status, new URL(page.url).pathname], [200, '/account']);
  });

  test('an import waits', async () => {
    const scope = await newProject('Importing');
    assert.equal((await drop(scope.projectId)).status, 202);
    const importId = newId('imp', new Date());
    await latchkey.inProject((tx) => addJob(tx, 'import_members', { ...scope, importId }), scope);
    const waiting = async () =>
      (
        await latchkey.system.pool.query<{ later: boolean }>(
          `select run_at > now() + interval '5 minutes' as later from graphile_worker._private_jobs
           where payload->>'importId' = $1`,
          [importId],
        )
      ).rows;
    await eventually(async () => assert.deepEqual(await waiting(), [{ later: true }]));
  });
});
