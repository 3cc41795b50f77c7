import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { runLatchkey } from '#tests/command-line.ts';
import { eventually, newEmail, PASSWORD, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { type SecondProcess, startSecondProcess } from '#tests/second-process.ts';

const [OLD, NEW] = ['the secret that this database began with', 'the secret that replaces it and is as long'];

let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey({ settings: { LATCHKEY_SECRET: `${NEW},${OLD}` } });
});
after(() => latchkey.stop());

type Send = (path: string, body: unknown, headers: Record<string, string>) => Promise<{ status: number; text: string }>;

/** Sends each request to one of two processes and repeats it at the other, which has to open what the first sealed. */
class Load {
  readonly faults: string[] = [];
  readonly second: SecondProcess;
  requests = 0;
  readonly #senders: readonly Send[];
  #isOver = false;
  readonly #loops: Promise<unknown>[];

  constructor(second: SecondProcess) {
    this.second = second;
    this.#senders = [
      async (path, body, headers) => latchkey.auth(path, { body, headers }),
      async (path, body, headers) => {
        const response = await second.auth(path, body, headers);
        return { status: response.status, text: await response.text() };
      },
    ];
    const failed = (error: unknown) => this.faults.push(String(error));
    this.#loops = [this.#repeat(0).catch(failed), this.#repeat(1).catch(failed)];
  }

  async #repeat(first: number): Promise<void> {
    for (let turn = first; !this.#isOver; turn += 1) {
      const [one, other] = turn % 2 === 0 ? this.#senders : this.#senders.toReversed();
      const id = randomUUID();
      // The harness looks for the event of both by this id; the repeated request emits none.
      const headers = { 'idempotency-key': id, 'x-correlation-id': id };
      const body = { email: newEmail(), password: PASSWORD };
      // biome-ignore lint/performance/noAwaitInLoops: one after the other is the load
      const made = await one?.('/v1/auth/register', body, headers);
      const again = await other?.('/v1/auth/register', body, headers);
      this.requests += 2;
      if (made?.status !== 200 || again?.status !== 200 || made.text !== again.text)
        this.faults.push(`${made?.status} ${made?.text}, then ${again?.status} ${again?.text}`);
    }
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#loops);
  }

  /** Sends some more requests, then stops. */
  async expectNoFault(): Promise<void> {
    const enough = this.requests + 8;
    await eventually(async () => assert.ok(this.requests >= enough || this.faults.length > 0));
    await this.stop();
    assert.deepEqual(this.faults, []);
  }
}

const settingsWith = (secret: string) => ({
  DATABASE_URL: latchkey.databaseUrl,
  LATCHKEY_SECRET: secret,
  LATCHKEY_DATA_DIR: latchkey.system.config.dataDir,
});
const reseal = (...options: string[]) =>
  runLatchkey(['keys', 'reseal', '--json', ...options], settingsWith(`${NEW},${OLD}`));

test('the secret and the data key change while two processes serve, and no request fails', async (t) => {
  const serveWith = async (secret: string) => {
    const second = await startSecondProcess(latchkey, { LATCHKEY_SECRET: secret });
    const load = new Load(second);
    t.after(async () => {
      await load.stop();
      await second.stop();
    });
    return load;
  };
  const before = await serveWith(OLD);
  assert.match((await reseal()).errors, /^1 running processes do not have the first secret/);
  await before.expectNoFault();
  await before.second.stop();

  const during = await serveWith(`${NEW},${OLD}`);
  const wrapped = JSON.parse((await reseal()).output);
  assert.deepEqual([wrapped.wrapped, wrapped.newKeyId, wrapped.rows], [1, null, 0]);
  const replaced = JSON.parse((await reseal('--new-key')).output);
  assert.deepEqual(replaced.unreadable, []);
  assert.deepEqual(latchkey.system.keyring.keyIds, [replaced.newKeyId]);
  await during.expectNoFault();
  await during.second.stop();
  const { rows } = await latchkey.system.pool.query<{ key: string }>(
    "select distinct split_part(answer_sealed, '.', 2) as key from idempotency_keys",
  );
  assert.deepEqual(
    rows.map(({ key }) => key),
    [replaced.newKeyId],
  );
});
