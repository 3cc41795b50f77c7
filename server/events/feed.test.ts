import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { Value } from 'typebox/value';
import {
  eventually,
  expectProblem,
  managementToken,
  startTestLatchkey,
  type TestLatchkey,
  type TestResponse,
} from '#tests/harness.ts';
import { createTenant, tenantManagementToken } from '#tests/tenants.ts';
import { catalogueOf } from './catalogue.ts';
import { eventTypeDescriptions } from './event-types.ts';
import { emit, emitAll } from './events.ts';

let latchkey: TestLatchkey;
let token: string;
before(async () => {
  latchkey = await startTestLatchkey();
  token = await managementToken(latchkey);
});
after(() => latchkey.stop());

const feed = (query: string): Promise<TestResponse> => latchkey.api(`/v1/admin/events?${query}`, { token });
const happen = (userId: string) => latchkey.inProject((tx) => emit(tx, 'user.logout', { userId, everywhere: false }));
const latest = async (): Promise<number> => (await feed('after=latest')).body.nextAfter;

describe('GET /v1/admin/events', () => {
  test('WH-1 a reader that polls sees every event once under concurrent commits, early and late', async () => {
    const from = await latest();
    const expected = new Set<string>();
    const writing = Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        latchkey.inProject(async (tx) => {
          const events = Array.from({ length: (index % 4) + 1 }, (_, nth) => `usr_poll_${index}_${nth}`);
          await emitAll(
            tx,
            events.map((userId) => ({ type: 'user.logout', data: { userId, everywhere: false } })),
          );
          // Some transactions stay open while others commit.
          if (index % 3 === 0)
            await tx.db.selectFrom('events').select('id').where('workspace_id', '=', 'wrk_').execute();
          for (const userId of events) expected.add(userId);
        }),
      ),
    );
    const seen: string[] = [];
    const sequences: number[] = [];
    let after = from;
    let written = false;
    writing.then(
      () => {
        written = true;
      },
      () => undefined,
    );
    while (!written || seen.length < expected.size) {
      // biome-ignore lint/performance/noAwaitInLoops: a reader reads one page after the other
      const { body } = await feed(`after=${after}&limit=17&wait=1`);
      for (const event of body.items) {
        if (String(event.data.userId).startsWith('usr_poll')) seen.push(event.data.userId);
        sequences.push(event.sequence);
      }
      after = body.nextAfter;
    }
    await writing;
    assert.deepEqual([...seen].sort(), [...expected].sort());
    assert.deepEqual(
      sequences,
      sequences.map((_, index) => from + 1 + index),
    );
  });

  test('a long poll returns as soon as there is an event; after its timeout it returns empty', async () => {
    const after = await latest();
    const began = performance.now();
    const waiting = feed(`after=${after}&wait=30`);
    await happen('usr_awaited');
    const { body } = await waiting;
    assert.ok(performance.now() - began < 25_000, 'before its time is over');
    assert.deepEqual(
      body.items.map((event: { data: unknown }) => event.data),
      [{ userId: 'usr_awaited', everywhere: false }],
    );
    assert.deepEqual([body.nextAfter, body.more], [after + 1, false]);
    assert.deepEqual((await feed(`after=${after + 1}&wait=1`)).body, {
      items: [],
      nextCursor: null,
      nextAfter: after + 1,
      more: false,
    });
  });

  test('can be read like any list: nextCursor leads to the end, with the same filter', async () => {
    const after = await latest();
    // biome-ignore lint/performance/noAwaitInLoops: the order matters
    for (const userId of ['usr_page_1', 'usr_page_2', 'usr_page_3']) await happen(userId);
    await eventually(async () => assert.equal(await latest(), after + 3));
    const first = await feed(`after=${after}&types=user.*&limit=2`);
    assert.equal(typeof first.body.nextCursor, 'string');
    const second = await feed(`types=user.*&limit=2&cursor=${first.body.nextCursor}`);
    assert.equal(second.body.nextCursor, null);
    assert.deepEqual(
      [...first.body.items, ...second.body.items].map(({ data }) => data.userId),
      ['usr_page_1', 'usr_page_2', 'usr_page_3'],
    );
    expectProblem(await feed(`types=session.*&cursor=${first.body.nextCursor}`), 400, 'INVALID_CURSOR');
    expectProblem(await feed('cursor=nonsense'), 400, 'INVALID_CURSOR');
  });

  test('types filter, and the cursor moves past the other events', async () => {
    const after = await latest();
    await happen('usr_other');
    await eventually(async () => assert.equal(await latest(), after + 1));
    const { body } = await feed(`after=${after}&types=session.*,user.created`);
    assert.deepEqual(body, { items: [], nextCursor: null, nextAfter: after + 1, more: false });
    assert.equal((await feed(`after=${after}&types=user.*`)).body.items.length, 1);
    expectProblem(await feed('types=nothing.*'), 400, 'VALIDATION_FAILED');
    expectProblem(await feed('wait=31'), 400, 'VALIDATION_FAILED');
    expectProblem(await feed('after=-1'), 400, 'VALIDATION_FAILED');
  });

  test('BI-3 shows only events of its own project, without the permissions of management clients', async () => {
    await happen('usr_private');
    const stranger = await tenantManagementToken(latchkey, await createTenant(latchkey, 'feed-stranger'));
    const { text } = await latchkey.api('/v1/admin/events?limit=100', { token: stranger });
    assert.ok(!text.includes('usr_private') && !text.includes(latchkey.demo.workspaceId));
    assert.ok(!(await feed('limit=100')).text.includes('"permissions":['));
    const narrow = await managementToken(latchkey, 'members:read');
    expectProblem(await latchkey.api('/v1/admin/events', { token: narrow }), 403, 'AUTHORIZATION_DENIED');
  });

  test('POST emits an event marked as an example, in the test environment only', async () => {
    const after = await latest();
    const created = await latchkey.api('/v1/admin/events', { token, body: { type: 'user.created' } });
    assert.equal(created.status, 201, created.text);
    const { body } = await feed(`after=${after}&wait=5`);
    const [event] = body.items;
    assert.deepEqual(
      [event.id, event.type, event.example, event.data],
      [created.body.id, 'user.created', true, catalogueOf(latchkey.system).get('user.created')?.example],
    );
    expectProblem(
      await latchkey.api('/v1/admin/events', { token, body: { type: 'user.invented' } }),
      400,
      'VALIDATION_FAILED',
    );
    const production = await managementToken(latchkey, undefined, 'production');
    const refused = await latchkey.api(
      '/v1/admin/events',
      { token: production, body: { type: 'user.created' } },
      'production',
    );
    expectProblem(refused, 409, 'CONFLICT');
  });
});

describe('the catalogue', () => {
  test('has JSON Schemas that other validators accept, and examples that fit them', async () => {
    const pagesFrom = async (cursor = ''): Promise<TestResponse['body'][]> => {
      const { body } = await latchkey.api(`/v1/admin/webhooks/event-types?limit=100${cursor}`, { token });
      return [...body.items, ...(body.nextCursor ? await pagesFrom(`&cursor=${body.nextCursor}`) : [])];
    };
    const items = await pagesFrom();
    const types = items.map(({ type }: { type: string }) => type);
    assert.deepEqual(types, [...catalogueOf(latchkey.system).keys()]);
    const validator = addFormats.default(new Ajv2020({ strict: false }));
    for (const { type, description, version, schema, example } of items) {
      assert.ok(description.endsWith('.') && version >= 1, type);
      assert.ok(validator.validate(schema, example), `${type}: ${validator.errorsText()}`);
      assert.ok(!validator.validate(schema, { ...Object(example), type: 'something.else' }), type);
    }
    const one = await latchkey.api('/v1/admin/webhooks/event-types/session.reuse_detected', { token });
    assert.deepEqual(
      one.body,
      items.find(({ type }: { type: string }) => type === 'session.reuse_detected'),
    );
    expectProblem(await latchkey.api('/v1/admin/webhooks/event-types/user.invented', { token }), 404, 'NOT_FOUND');
  });

  test('every example fits the schema of its type', () => {
    for (const { schema, example, type } of eventTypeDescriptions(latchkey.system))
      assert.ok(Value.Check(schema, example), type);
  });
});
