import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { runLatchkey } from '#tests/command-line.ts';
import { startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { freePortBase } from '#tests/ports.ts';

let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey({ own: 'the command finds the Latchkey of this machine by its ports' });
});
after(() => latchkey.stop());

test('the command ends with 0 while Latchkey can serve', async () => {
  const base = String(latchkey.system.config.ports.console);
  const { status, output } = await runLatchkey(['ready'], { LATCHKEY_PORT_BASE: base });
  assert.equal(status, 0, output);
  assert.equal(JSON.parse(output).status, 'ready');
});

test('if no Latchkey runs, the command ends with 1 and says so', async () => {
  const base = String(await freePortBase());
  const { status, errors } = await runLatchkey(['ready'], { LATCHKEY_PORT_BASE: base });
  assert.equal(status, 1);
  assert.match(errors, /Nothing responds at .*Is Latchkey running\?/);
});
