import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Value } from 'typebox/value';
import { transaction } from '#platform/ctx.ts';
import { eventually, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { catalogueOf } from './catalogue.ts';
import { Dispatcher } from './dispatcher.ts';
import { emit, emitAll } from './events.ts';

let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey();
});
after(() => latchkey.stop());

type Numbered = { id: string; sequence: number | null };

const numbered = async (correlation: string): Promise<Numbered[]> =>
  (
    await latchkey.system.pool.query('select id, sequence from events where correlation_id = $1 order by sequence', [
      correlation,
    ])
  ).rows;

describe('the event log', () => {
  test('an event of a rolled back transaction is never visible', async () => {
    const { system } = latchkey;
    await assert.rejects(
      latchkey.inProject(async (tx) => {
        await emit({ ...tx, trace: { ...tx.trace, correlationId: 'rolled-back' } }, 'user.logout', {
          userId: 'usr_x',
          everywhere: false,
        });
        throw new Error('changed my mind');
      }),
      /changed my mind/,
    );
    const { rowCount } = await system.pool.query(`select from events where correlation_id = 'rolled-back'`);
    assert.equal(rowCount, 0);
  });

  test('WH-1 events are numbered without gaps, also under concurrent commits and a second dispatcher', async () => {
    const rival = new Dispatcher(latchkey.system);
    await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        latchkey.inProject((tx) =>
          emitAll(
            { ...tx, trace: { ...tx.trace, correlationId: 'numbering' } },
            Array.from({ length: (index % 5) + 1 }, () => ({
              type: 'user.logout' as const,
              data: { userId: `usr_${index}`, everywhere: false },
            })),
          ),
        ),
      ),
    );
    await eventually(async () => assert.ok((await numbered('numbering')).every(({ sequence }) => sequence !== null)));
    await rival.stop();
    const { rows } = await latchkey.system.pool.query(
      'select count(*) as events, count(distinct sequence) as numbers, max(sequence) as last from events where project_id = $1 and environment = $2',
      [latchkey.demo.projects[0]?.id, 'test'],
    );
    assert.deepEqual([rows[0].numbers, rows[0].last], [rows[0].events, rows[0].events]);
  });

  test('an event that commits late is numbered after those that readers have seen', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const late = latchkey.inProject(async (tx) => {
      await emit({ ...tx, trace: { ...tx.trace, correlationId: 'late' } }, 'user.logout', {
        userId: 'usr_late',
        everywhere: false,
      });
      await held;
    });
    await latchkey.inProject((tx) =>
      emit({ ...tx, trace: { ...tx.trace, correlationId: 'early' } }, 'user.logout', {
        userId: 'usr_early',
        everywhere: false,
      }),
    );
    const early = await eventually(async () => {
      const [event] = await numbered('early');
      assert.ok(event?.sequence);
      return event.sequence;
    });
    release();
    await late;
    await eventually(async () => {
      const [event] = await numbered('late');
      assert.ok(event?.sequence && event.sequence > early);
    });
  });

  test('no events are written for an empty list', async () => {
    await latchkey.inProject((tx) => emitAll({ ...tx, trace: { ...tx.trace, correlationId: 'none' } }, []));
    assert.deepEqual(await numbered('none'), []);
  });

  test('a nested transaction joins the outer one', async () => {
    const count = async () => (await numbered('nested')).length;
    await assert.rejects(
      latchkey.inProject(async (outer) => {
        await transaction(outer, (inner) =>
          emit({ ...inner, trace: { ...inner.trace, correlationId: 'nested' } }, 'user.logout', {
            userId: 'usr_n',
            everywhere: false,
          }),
        );
        throw new Error('outer fails');
      }),
    );
    assert.equal(await count(), 0);
  });

  test('every event type has a description and an example that fits its schema', () => {
    for (const [type, { description, data, example }] of catalogueOf(latchkey.system)) {
      assert.match(type, /^[a-z_]+(\.[a-z_]+)+$/);
      assert.ok(description.endsWith('.'), type);
      assert.ok(Value.Check(data, example), type);
    }
  });
});
