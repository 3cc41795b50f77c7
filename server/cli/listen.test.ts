import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Webhook } from 'standardwebhooks';
import { eventually, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { type Receiver, startReceiver } from '#tests/receiver.ts';

const ENTRY = fileURLToPath(new URL('../latchkey.mjs', import.meta.url));

let latchkey: TestLatchkey;
let receiver: Receiver;
before(async () => {
  [latchkey, receiver] = await Promise.all([
    startTestLatchkey({ own: 'the commands use the demo of the data directory' }),
    startReceiver(),
  ]);
});
after(() => Promise.all([latchkey.stop(), receiver.stop()]));

type Running = { child: ChildProcess; output: () => string };

function run(...args: string[]): Running {
  const child = spawn(process.execPath, [ENTRY, ...args], {
    env: {
      PATH: process.env['PATH'] ?? '',
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
      LATCHKEY_DATA_DIR: latchkey.system.config.dataDir,
    },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  return { child, output: () => output };
}

async function finished({ child, output }: Running): Promise<{ code: unknown; output: string }> {
  const [code] = await once(child, 'exit');
  return { code, output: output() };
}

describe('latchkey listen and trigger', () => {
  test('a triggered event reaches the listening address, signed with the printed secret', async () => {
    const listening = run('listen', '--forward-to', `${receiver.origin}/local`, '--types', 'user.*');
    const secret = await eventually(async () => {
      const found = /signed with (whsec_\S+)/.exec(listening.output())?.[1];
      assert.ok(found, listening.output());
      return found;
    });
    for (const type of ['session.created', 'user.created']) {
      // biome-ignore lint/performance/noAwaitInLoops: sequential on purpose
      const triggered = await finished(run('trigger', type));
      assert.equal(triggered.code, 0, triggered.output);
      assert.match(triggered.output, new RegExp(`Emitted ${type} with example data: evt_`));
    }
    const [got] = await eventually(async () => {
      assert.equal(receiver.at('/local').length, 1);
      return receiver.at('/local');
    });
    assert.ok(got);
    const event = Object(new Webhook(secret).verify(got.body, got.headers));
    assert.deepEqual([event.type, event.example], ['user.created', true]);
    await eventually(async () => assert.match(listening.output(), /user\.created +evt_\w+ {2}→ 200 \(\d+ ms\)/));
    listening.child.kill('SIGTERM');
    await once(listening.child, 'exit');
  });

  test('a mistake is explained in a sentence', async () => {
    const [noTarget, noAddress, unknown, untyped] = await Promise.all([
      finished(run('listen')),
      finished(run('listen', '--forward-to', 'nonsense')),
      finished(run('trigger', 'user.invented')),
      finished(run('trigger')),
    ]);
    assert.notEqual(noTarget.code, 0);
    assert.match(noTarget.output, /option '--forward-to <url>' not specified/);
    assert.notEqual(unknown.code, 0);
    assert.equal(noAddress.output.trim(), 'Name the target: latchkey listen --forward-to http://localhost:3000/hooks');
    assert.match(unknown.output, /^400: .*is not an event type[^\n]*\n$/, 'and no trace');
    assert.match(untyped.output, /missing required argument 'type'/);
  });
});
