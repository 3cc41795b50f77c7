import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, beforeEach, describe, test } from 'node:test';
import { part as auditPart, eraseFromAudit, verifyAudit } from '#audit';
import {
  eventually,
  managementToken,
  register,
  startTestLatchkey,
  TestClock,
  type TestLatchkey,
} from '#tests/harness.ts';

const AUDIT = '/v1/admin/audit-events';
const clock = new TestClock();
let latchkey: TestLatchkey;
let kept: string[];
before(async () => {
  latchkey = await startTestLatchkey({ clock });
});
after(() => latchkey.stop());

/** Alters the chain of the demo's first project with direct database access; undone after the test. */
async function alter<T>(statements: string[], work: () => Promise<T>): Promise<T> {
  const { pool } = latchkey.system;
  const tables = ['audit_entries', 'audit_heads', 'audit_checkpoints', 'event_sequences', 'events'];
  await pool.query(tables.map((table) => `create table kept_${table} as select * from ${table}`).join(';'));
  const project = `(workspace_id, project_id, environment) = ('${latchkey.demo.workspaceId}', '${latchkey.demo.projects[0]?.id}', 'test')`;
  await pool.query(statements.map((statement) => statement.replaceAll('$here', project)).join(';'));
  try {
    return await work();
  } finally {
    await pool.query(
      tables
        .map(
          (table) => `delete from ${table}; insert into ${table} select * from kept_${table}; drop table kept_${table}`,
        )
        .join(';'),
    );
  }
}

async function settled(): Promise<void> {
  await eventually(async () => {
    const { rows } = await latchkey.system.pool.query('select 1 from events where sequence is null');
    assert.equal(rows.length, 0);
  });
}

async function exported(query = ''): Promise<string> {
  const response = await latchkey.api(`${AUDIT}/export${query}`, { token: await managementToken(latchkey) });
  assert.equal(response.status, 200, response.text);
  return response.text;
}

async function verified(text: string, checkpoints: string[] = []) {
  async function* lines() {
    yield* text.trimEnd().split(/\r?\n/);
  }
  return verifyAudit(lines(), checkpoints);
}

const removed =
  'delete from audit_entries where $here and sequence > (select max(sequence) - 4 from audit_entries where $here)';
const head = `update audit_heads set sequence = e.sequence, hash = e.hash from (select sequence, hash from audit_entries where $here order by sequence desc limit 1) e where $here`;
const counter = 'update event_sequences set last = (select max(sequence) from audit_entries where $here) where $here';

beforeEach(async () => {
  await register(latchkey);
  await settled();
  clock.advance(3_601_000);
  await auditPart.cleanUps.signDueCheckpoints(latchkey.system);
  const { body } = await latchkey.api(`${AUDIT}/checkpoints`, { token: await managementToken(latchkey) });
  kept = body.items.map(({ signed }: { signed: string }) => signed);
  assert.equal((await verified(await exported(), kept)).checkpoints, kept.length, 'an honest log is verified');
});

describe('a log whose end was removed', () => {
  /** How far an attacker goes to hide it, and whether detection needs a checkpoint kept elsewhere. */
  const hidden: Record<string, { statements: string[]; found: 'by itself' | 'by a kept checkpoint' }> = {
    'the newest entries': { statements: [removed], found: 'by itself' },
    'the newest entries, and the head put back': { statements: [removed, head], found: 'by itself' },
    'the newest entries, head and counter put back': { statements: [removed, head, counter], found: 'by itself' },
    'the newest entries and events, head, counter and checkpoints put back': {
      statements: [
        removed,
        'delete from events where $here and sequence > (select max(sequence) from audit_entries where $here)',
        'delete from audit_checkpoints where $here and sequence > (select max(sequence) from audit_entries where $here)',
        head,
        `update audit_heads set checkpoints = (select count(*) from audit_checkpoints where $here) where $here`,
        counter,
      ],
      found: 'by a kept checkpoint',
    },
    'every entry': { statements: ['delete from audit_entries where $here'], found: 'by itself' },
  };
  for (const [what, { statements, found }] of Object.entries(hidden))
    test(`${what}: is detected ${found}`, async () => {
      await alter(statements, async () => {
        const text = await exported();
        if (found === 'by itself') await assert.rejects(verified(text), /The end of the log is missing/);
        await assert.rejects(verified(text, kept), /The end of the log is missing/);
      });
    });

  test('is also detected in an export of a range that ends before it', async () => {
    const until = clock.now().toISOString();
    await alter([removed], async () => {
      await assert.rejects(verified(await exported(`?until=${until}`)), /The end of the log is missing/);
    });
  });
});

test('a checkpoint that was deleted from the database is detected, the newest and one in between', async () => {
  for (const which of ['max', 'min']) {
    const statement = `delete from audit_checkpoints where $here and sequence = (select ${which}(sequence) from audit_checkpoints where $here)`;
    // biome-ignore lint/performance/noAwaitInLoops: sequential on purpose
    await alter([statement], async () => {
      await assert.rejects(verified(await exported()), /Checkpoints were removed from the database: 1 of/);
    });
  }
});

describe('an entry without content', () => {
  const empty = `update audit_entries set entry = null where $here and sequence = (select max(sequence) - 2 from audit_entries where $here)`;

  test('that was emptied in the database is detected', async () => {
    await alter([empty], async () => {
      await assert.rejects(verified(await exported()), /was emptied, and the log records no erasure/);
      await assert.rejects(verified(await exported('?format=csv')), /was emptied, and the log records no erasure/);
    });
  });

  test('is not excused by an erasure entry that was altered to list it', async () => {
    const { session, email } = await register(latchkey);
    await settled();
    assert.ok((await latchkey.inProject((tx) => eraseFromAudit(tx, session.userId, [email]))) > 0);
    await settled();
    const excuse = `update audit_entries set entry = jsonb_set(entry::jsonb, '{data,ranges}', '[{"first":1,"last":9999}]')::json
      where $here and action = 'audit.entries_erased'`;
    await alter([empty, excuse], async () => {
      await assert.rejects(verified(await exported()), /was altered|was emptied/);
      const since = clock.now().toISOString();
      clock.advance(60_000);
      await register(latchkey);
      await settled();
      assert.equal((await verified(await exported(`?since=${clock.now().toISOString()}`))).erased, 0, since);
    });
  });

  test('of an erased person is listed by an erasure entry, and the log verifies', async () => {
    const { session, email } = await register(latchkey);
    await settled();
    const count = await latchkey.inProject((tx) => eraseFromAudit(tx, session.userId, [email]));
    assert.ok(count > 0);
    await settled();
    const text = await exported();
    assert.ok(!text.includes(email));
    assert.ok((await verified(text, kept)).erased >= count);
    const token = await managementToken(latchkey);
    const { body } = await latchkey.api(`${AUDIT}?action=audit.entries_erased&limit=1`, { token });
    const { reason, ranges } = body.items[0].data;
    assert.equal(reason, 'person_erased');
    const named = ranges.reduce(
      (sum: number, { first, last }: { first: number; last: number }) => sum + last - first + 1,
      0,
    );
    assert.equal(named, count);
  });
});

test('a log of an earlier version, without erasure entries, verifies after the upgrade, which lists what it found empty', async () => {
  const migration = readFileSync(new URL('../../migrations/0038-audit-evidence.ts', import.meta.url), 'utf8');
  const [insert = ''] = /insert into events[^`]+/.exec(migration) ?? [];
  const empty = 'update audit_entries set entry = null where $here and sequence in (2, 3, 5)';
  await alter([empty], async () => {
    await assert.rejects(verified(await exported()), /was emptied/);
    await latchkey.system.pool.query(insert);
    await register(latchkey);
    await settled();
    assert.ok((await verified(await exported())).erased >= 3);
    const token = await managementToken(latchkey);
    const { body } = await latchkey.api(`${AUDIT}?action=audit.entries_erased&actor=upgrade`, { token });
    assert.deepEqual(
      body.items.map(({ actor, data }: { actor: unknown; data: { reason: string } }) => [actor, data.reason]),
      [[{ kind: 'system', name: 'upgrade' }, 'before_upgrade']],
    );
  });
});
