import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { eventually, newEmail, PASSWORD, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { repeat } from './repeating.ts';

let latchkey: TestLatchkey;
let lines: Record<string, unknown>[] = [];
before(async () => {
  latchkey = await startTestLatchkey({
    settings: { LATCHKEY_LOG_LEVEL: 'debug' },
    log: (line) => {
      lines = [...lines, JSON.parse(line)];
    },
  });
});
after(() => latchkey.stop());

const traceId = 'abcdefabcdefabcdefabcdefabcdefab';
const traceparent = `00-${traceId}-1111111111111111-01`;
const clientId = () => latchkey.demo.environments.test.clientId;

/** Waits for a line of the log. */
function logged(matches: (line: Record<string, unknown>) => boolean): Promise<Record<string, unknown>> {
  return eventually(async () => lines.find(matches) ?? assert.fail('not logged yet'));
}

/** Waits for a line of a trace. */
function loggedIn(id: string, matches: (line: Record<string, unknown>) => boolean): Promise<unknown> {
  return logged((line) => line['traceId'] === id && matches(line));
}

describe('every line of the log has the id of its trace', () => {
  test('for a request, and for an error in it', async () => {
    await latchkey.system.pool.query('alter table passwords rename to passwords_away');
    const response = await latchkey.auth('/v1/auth/login/password', {
      headers: { traceparent },
      body: { clientId: clientId(), identifier: newEmail(), password: PASSWORD },
    });
    await latchkey.system.pool.query('alter table passwords_away rename to passwords');
    assert.equal(response.status, 500);
    assert.equal(response.body.traceId, traceId);
    await loggedIn(traceId, ({ level }) => level === 50);
    await loggedIn(traceId, ({ msg, status }) => msg === 'request' && status === 500);
  });

  test('for a job, also when it fails', async () => {
    const headers = { traceparent: traceparent.replace(traceId, 'b'.repeat(32)) };
    const { email } = latchkey.demo.environments.test.owner;
    const body = { clientId: clientId(), identifier: email };
    assert.equal((await latchkey.auth('/v1/auth/password/forgot', { headers, body })).status, 202);
    await loggedIn('b'.repeat(32), ({ task, msg }) => task === 'send_message' && /^Completed/.test(String(msg)));
    await latchkey.system.pool.query(
      `select graphile_worker.add_job('send_message', '{"no":"message"}', max_attempts := 1, flags := $1)`,
      [[`traceparent:${traceparent.replace(traceId, 'c'.repeat(32))}`]],
    );
    await loggedIn('c'.repeat(32), ({ task, level }) => task === 'send_message' && level === 50);
  });

  test('for periodic work, of which each run has its own trace', async () => {
    const clock = {
      now: () => new Date(),
      every: (_milliseconds: number, work: () => void) => {
        work();
        work();
        return () => undefined;
      },
    };
    const { stop } = repeat({ ...latchkey.system, clock }, 1_000, {
      brokenWork: async () => assert.fail('on purpose'),
      otherWork: async () => assert.fail('on purpose'),
    });
    await stop();
    const ids = await Promise.all(
      ['brokenWork', 'otherWork'].map(async (name) => (await logged(({ work }) => work === name))['traceId']),
    );
    assert.match(String(ids[0]), /^[0-9a-f]{32}$/);
    assert.notEqual(ids[0], ids[1]);
  });

  test('without the password of the request', () => {
    const text = lines.map((line) => JSON.stringify(line)).join('\n');
    assert.ok(!text.includes(PASSWORD));
  });
});
