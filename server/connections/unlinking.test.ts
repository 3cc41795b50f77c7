import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually, ownerToken, register, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';

let latchkey: TestLatchkey;
let token: string;
before(async () => {
  latchkey = await startTestLatchkey();
  token = await ownerToken(latchkey);
});
after(() => latchkey.stop());

const call = (path: string, method = 'GET', body?: unknown) =>
  latchkey.api(`/v1/admin/${path}`, { token, method, ...(body !== undefined && { body }) });

/** An organization with a connection at which one person has many accounts. */
async function linked(userId: string, accounts: number) {
  const { body: organization } = await call('organizations', 'POST', { name: 'Acme' });
  const oidc = { issuer: 'https://login.acme.example', clientId: 'latchkey', clientSecret: 'very secret' };
  const added = await call(`organizations/${organization.id}/connections`, 'POST', { name: 'Entra ID', oidc });
  assert.equal(added.status, 201, added.text);
  await latchkey.system.pool.query(
    `insert into linked_identities (workspace_id, environment, issuer, subject, id, user_id, provider, linked_at, last_used_at)
     select $1, 'test', $2, n::text, $3 || n, $4, $5, now(), now() from generate_series(1, $6::int) as n`,
    [
      latchkey.demo.workspaceId,
      `urn:latchkey:connection:${added.body.id}:${oidc.issuer}`,
      `idn_${added.body.id}`,
      userId,
      added.body.id,
      accounts,
    ],
  );
  return { organizationId: String(organization.id), connectionId: String(added.body.id) };
}

async function linksOf(connectionId: string): Promise<number> {
  const { rows } = await latchkey.system.pool.query(
    'select count(*)::int as count from linked_identities where workspace_id = $1 and provider = $2',
    [latchkey.demo.workspaceId, connectionId],
  );
  return rows[0].count;
}

test('deleting an organization unlinks the accounts of its connections, however many, and no others', async () => {
  const { session } = await register(latchkey);
  const [gone, other] = [await linked(session.userId, 2_500), await linked(session.userId, 3)];
  assert.deepEqual([await linksOf(gone.connectionId), await linksOf(other.connectionId)], [2_500, 3]);
  assert.equal((await call(`organizations/${gone.organizationId}`, 'DELETE')).status, 204);
  await eventually(async () => assert.equal(await linksOf(gone.connectionId), 0));
  assert.equal(await linksOf(other.connectionId), 3);
});
