import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, before, beforeEach, describe, test } from 'node:test';
import { eventually, startTestLatchkey } from '../../../server/tests/harness.ts';
import { type StatusCallbacks, type StatusState, statusPoller } from './status.ts';

/** The next response of the server. */
type Reply = { status?: number; overallStatus?: string; incidents?: object[]; headers?: Record<string, string> };
let reply: Reply = {};
let statuses: number[] = [];
const server = createServer((request, response) => {
  const { status = 200, overallStatus = 'operational', incidents = [], headers = {} } = reply;
  const body = JSON.stringify({ overallStatus, incidents });
  const etag = `"${Buffer.from(body).toString('base64url')}"`;
  const code = status === 200 && request.headers['if-none-match'] === etag ? 304 : status;
  statuses.push(code);
  response.writeHead(code, { etag, ...headers }).end(code === 200 ? body : '');
});
let address = '';
before(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const at = server.address();
  assert.ok(at !== null && typeof at === 'object');
  address = `http://127.0.0.1:${at.port}`;
});
after(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  reply = {};
  statuses = [];
});

/** A poller that records its callbacks. */
function watch(known: StatusState | null = null, more: StatusCallbacks = {}) {
  const calls: string[] = [];
  const poller = statusPoller(
    address,
    {
      onDegraded: () => calls.push('degraded'),
      onPhaseChange: () => calls.push('phase'),
      onRecovered: () => calls.push('recovered'),
      onUnreachable: () => calls.push('unreachable'),
      ...more,
    },
    known,
  );
  const see = async (...looks: Reply[]) => {
    for (const look of looks) {
      reply = look;
      // biome-ignore lint/performance/noAwaitInLoops: one poll after the other
      await poller.check();
    }
    return calls.splice(0);
  };
  return { poller, calls, see };
}

const well = { overallStatus: 'operational' };
const incident = (phase: string, id = 'inc_1') => ({ overallStatus: 'degraded', incidents: [{ id, phase }] });

describe('ST-3 statusPoller', () => {
  test('alerts on a change from operational to degraded, once', async () => {
    const { see } = watch();
    assert.deepEqual(await see(well, well), []);
    assert.deepEqual(await see(incident('investigating')), ['degraded']);
    assert.deepEqual(await see(incident('investigating'), incident('investigating')), []);
    assert.deepEqual(await see(well), ['recovered']);
    assert.deepEqual(await see(well), []);
    assert.deepEqual(await see(incident('investigating', 'inc_2')), ['degraded'], 'the next time anew');
  });

  test('reports a new phase, a new incident and the end of an incident once each', async () => {
    const { see } = watch();
    await see(incident('investigating'));
    assert.deepEqual(await see(incident('identified'), incident('identified')), ['phase']);
    const both = {
      ...incident('identified'),
      incidents: [
        { id: 'inc_2', phase: 'x' },
        { id: 'inc_1', phase: 'identified' },
      ],
    };
    assert.deepEqual(await see(both), ['phase']);
    const swapped = { ...both, incidents: [...both.incidents].reverse() };
    assert.deepEqual(await see(swapped), [], 'their order says nothing');
    assert.deepEqual(await see(incident('identified')), ['phase']);
  });

  test('alerts at the first poll during an outage, but not when it starts with the stored state', async () => {
    const { see, poller } = watch();
    assert.deepEqual(await see(incident('monitoring')), ['degraded']);
    const state = await poller.check();
    assert.deepEqual(state, { status: 'degraded', phases: { inc_1: 'monitoring' } });
    const again = watch(JSON.parse(JSON.stringify(state)));
    assert.deepEqual(await again.see(incident('monitoring')), []);
    assert.deepEqual(await again.see(incident('resolved')), ['phase']);
  });
});

describe('statusPoller', () => {
  test('treats an unknown value as not operational', async () => {
    assert.deepEqual(await watch().see(well, { overallStatus: 'on_fire' }), ['degraded']);
  });

  test('sends the ETag and downloads only changes', async () => {
    const { see } = watch();
    await see(well, well, incident('investigating'), incident('investigating'));
    assert.deepEqual(statuses, [200, 304, 200, 304]);
  });

  test('reports once that the status is unreachable and keeps its state', async () => {
    const { see } = watch();
    await see(incident('investigating'));
    assert.deepEqual(await see({ status: 503 }, { status: 500 }), ['unreachable']);
    assert.deepEqual(await see(incident('investigating')), [], 'the same as before');
    assert.deepEqual(await see({ status: 404 }), ['unreachable'], 'the next time anew');
    assert.deepEqual(await see(well), ['recovered']);
  });

  test('reports again that the status is unreachable if the callback failed', async () => {
    let failures = 1;
    const { poller, calls, see } = watch(null, {
      onUnreachable: () => {
        calls.push('unreachable');
        if (failures-- > 0) throw new Error('the pager is away');
      },
    });
    await see(well);
    reply = { status: 503 };
    await assert.rejects(poller.check(), /pager/);
    await poller.check();
    await poller.check();
    assert.deepEqual(calls, ['unreachable', 'unreachable']);
  });

  test('repeats an alert whose callback failed, although the status is unchanged', async () => {
    let failures = 1;
    const made: string[] = [];
    const { poller, see } = watch(null, {
      onDegraded: async ({ overallStatus }) => {
        made.push(overallStatus);
        if (failures-- > 0) throw new Error('the pager is away');
      },
    });
    await see(well);
    reply = incident('investigating');
    await assert.rejects(poller.check(), /pager/);
    await poller.check();
    await poller.check();
    assert.equal(made.length, 2);
    assert.deepEqual(statuses, [200, 200, 304, 304]);
  });
});

describe('the interval of statusPoller', () => {
  test('polls every 60 to 300 seconds, later after Retry-After, and never after stop', async (t) => {
    const pauses: number[] = [];
    let next: (() => void) | undefined;
    const { setTimeout: original } = globalThis;
    t.mock.method(
      globalThis,
      'setTimeout',
      (work: (...args: unknown[]) => void, milliseconds = 0, ...args: unknown[]) => {
        // Connections, browsers and servers of this process set timers, too.
        const { stack = '' } = new Error('Where the timer is set');
        if (!/sdk\/api\/src\/status\.ts/.test(stack)) return original(work, milliseconds, ...args);
        pauses.push(Math.round(milliseconds / 1000));
        next = () => work(...args);
        return undefined;
      },
    );
    const random = t.mock.method(Math, 'random', () => 0);
    const { poller } = watch();
    poller.start();
    await eventually(async () => assert.equal(pauses.length, 1));
    random.mock.mockImplementation(() => 0.999_999);
    next?.();
    await eventually(async () => assert.equal(pauses.length, 2));
    reply = { status: 503, headers: { 'retry-after': '900' } };
    next?.();
    await eventually(async () => assert.equal(pauses.length, 3));
    reply = { status: 503, headers: { 'retry-after': '99999999999' } };
    next?.();
    await eventually(async () => assert.equal(pauses.length, 4));
    assert.deepEqual(pauses, [60, 300, 900, 3_600], 'no timer is asked for more than it can take');
    next?.();
    poller.stop();
    await eventually(async () => assert.equal(statuses.length, 5));
    await poller.check();
    assert.equal(pauses.length, 4, 'stopped while it looked, it does not look again');
  });
});

describe('statusPoller and a real Latchkey', () => {
  test('reads a real Latchkey', async () => {
    const latchkey = await startTestLatchkey();
    try {
      const calls: string[] = [];
      const poller = statusPoller(latchkey.system.config.addresses.production.auth, {
        onUnreachable: (error) => calls.push(String(error)),
      });
      assert.equal((await poller.check())?.status, 'operational');
      assert.equal((await poller.check())?.status, 'operational');
      assert.deepEqual(calls, []);
    } finally {
      await latchkey.stop();
    }
  });
});
