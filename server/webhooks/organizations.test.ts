import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { emitAll } from '#events';
import { admin } from '#tests/apis.ts';
import { eventually, expectProblem } from '#tests/harness.ts';
import { startWebhooks, type Webhooks } from '#tests/webhooks.ts';

let webhooks: Webhooks;
before(async () => {
  webhooks = await startWebhooks();
});
after(() => webhooks.stop());

async function newOrganization(): Promise<string> {
  return (await admin(webhooks.latchkey, 'organizations', { body: { name: 'Acme' } })).id;
}

/** An example of every event about organizations, about each of these. */
function examplesAbout(...organizationIds: string[]) {
  const { parts } = webhooks.latchkey.system;
  const defined = parts.flatMap(({ events = {} }) => Object.entries(events));
  const about = defined.filter(([, { example }]) => 'organizationId' in Object(example));
  return organizationIds.flatMap((organizationId) =>
    about.map(([type, { example }]) => ({ type, data: { ...Object(example), organizationId } })),
  );
}

/** The events that were sent to an endpoint, each with its organization. */
async function sentTo(endpointId: string): Promise<{ type: string; organizationId: string | null }[]> {
  const { rows } = await webhooks.latchkey.system.pool.query(
    `select e.type, e.data->>'organizationId' as "organizationId" from webhook_deliveries d
     join events e on e.workspace_id = d.workspace_id and e.id = d.event_id where d.endpoint_id = $1 order by e.type`,
    [endpointId],
  );
  return rows;
}

describe('an endpoint of one organization', () => {
  test('gets every event about it, and none about another or about none, also in a replay', async () => {
    const { latchkey, clock, endpointFor, happen } = webhooks;
    const [own, other] = [await newOrganization(), await newOrganization()];
    const everything = await endpointFor('/all', { events: ['*'] });
    const restricted = await endpointFor('/own', { events: ['*'], organizationId: own });
    assert.deepEqual([everything.organizationId, restricted.organizationId], [null, own]);
    clock.advance(1_000);
    const since = clock.now().toISOString();
    const events = examplesAbout(own, other);
    assert.ok(events.length > 60, `${events.length} events`);
    await latchkey.inProject((tx) => emitAll(tx, Object(events)));
    await happen();
    await eventually(async () => {
      const sent = await sentTo(everything.id);
      assert.ok(
        sent.some(({ type }) => type === 'user.logout'),
        'the last event was sent',
      );
    });
    const expected = examplesAbout(own).map(({ type }) => ({ type, organizationId: own }));
    const sorted = expected.toSorted((a, b) => (a.type < b.type ? -1 : 1));
    assert.deepEqual(await sentTo(restricted.id), sorted);

    const later = await endpointFor('/later', { events: ['*'], organizationId: own });
    const replayed = await webhooks.admin(`/endpoints/${later.id}/replay`, { body: { since } });
    assert.equal(replayed.status, 202, replayed.text);
    await eventually(async () => assert.ok((await sentTo(later.id)).length >= sorted.length));
    assert.deepEqual(await sentTo(later.id), sorted);
  });

  test('is one of the project, and stays so', async () => {
    const { latchkey, endpointFor } = webhooks;
    const body = { url: 'https://example.com/hooks', events: ['*'] };
    const unknown = await webhooks.admin('/endpoints', {
      body: { ...body, organizationId: 'org_01kaz3w9hqf8p9n2m4v5x6y7z8' },
    });
    expectProblem(unknown, 404, 'NOT_FOUND');
    const elsewhere = { ...body, organizationId: await newOrganization() };
    const { workspaceId, projects } = latchkey.demo;
    const [, second] = projects;
    assert.ok(second && workspaceId);
    await latchkey.system.pool.query('update organizations set project_id = $1 where id = $2', [
      second.id,
      elsewhere.organizationId,
    ]);
    expectProblem(await webhooks.admin('/endpoints', { body: elsewhere }), 404, 'NOT_FOUND');
    const { id } = await endpointFor('/stays', { organizationId: await newOrganization() });
    const changed = await webhooks.admin(`/endpoints/${id}`, { method: 'PATCH', body: { organizationId: null } });
    expectProblem(changed, 400, 'VALIDATION_FAILED');
  });
});
