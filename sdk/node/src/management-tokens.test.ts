import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, before, beforeEach, describe, test } from 'node:test';
import { startTestLatchkey } from '../../../server/tests/harness.ts';
import { type ManagementClient, managementTokens } from './index.ts';

/** The next response of the token endpoint. */
let reply = { status: 200, body: '' };
let requests = 0;
const server = createServer((request, response) => {
  requests += 1;
  request.resume().on('end', () => response.writeHead(reply.status).end(reply.body));
});
let client: ManagementClient;
before(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  client = {
    authUrl: `http://127.0.0.1:${Object(server.address()).port}`,
    workspaceId: 'wrk_1',
    projectId: 'prj_1',
    environment: 'test',
    clientId: 'client',
    clientSecret: 'secret',
  };
});
beforeEach(() => {
  requests = 0;
});
after(() => server.close());

const give = (token: string, seconds: number) => {
  reply = { status: 200, body: JSON.stringify({ access_token: token, expires_in: seconds }) };
};

describe('management tokens', () => {
  test('of a real Latchkey open its API', async (t) => {
    const latchkey = await startTestLatchkey();
    t.after(() => latchkey.stop());
    const { workspaceId, projects, environments } = latchkey.demo;
    const token = managementTokens({
      authUrl: latchkey.system.config.addresses.test.auth,
      workspaceId,
      projectId: projects[0]?.id ?? '',
      environment: 'test',
      clientId: environments.test.managementClientId,
      clientSecret: environments.test.managementClientSecret,
      scope: 'roles:read',
    });
    assert.equal((await latchkey.api('/v1/admin/roles', { token: await token() })).status, 200);
    assert.equal((await latchkey.api('/v1/admin/members', { token: await token() })).status, 403);
  });

  test('are requested once by parallel callers, and kept until shortly before they expire', async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: 0 });
    const token = managementTokens(client);
    give('first', 900);
    assert.deepEqual(await Promise.all([token(), token(), token()]), ['first', 'first', 'first']);
    give('second', 900);
    t.mock.timers.setTime(719_000);
    assert.deepEqual([await token(), requests], ['first', 1]);
    t.mock.timers.setTime(721_000);
    assert.deepEqual(await Promise.all([token(), token()]), ['second', 'second']);
    assert.equal(requests, 2);
  });

  test('are requested again after a failure, which says why', async () => {
    const token = managementTokens(client);
    reply = { status: 401, body: '{"error":"invalid_client"}' };
    await assert.rejects(Promise.all([token(), token()]), /401, invalid_client/);
    reply = { status: 502, body: 'bad gateway' };
    await assert.rejects(token(), /502, no token/);
    give('good', 900);
    assert.equal(await token(), 'good');
    assert.equal(requests, 3);
  });
});
