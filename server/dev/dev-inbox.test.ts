import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sendMessage } from '#messages';
import { eventually, expectProblem, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { startProductionConsole } from '#tests/production.ts';

describe('the dev inbox', () => {
  let latchkey: TestLatchkey;
  before(async () => {
    latchkey = await startTestLatchkey();
  });
  after(() => latchkey.stop());

  const send = (to: string, device = 'Firefox on Linux') =>
    latchkey.inProject((tx) =>
      sendMessage(tx, { template: 'new_device', to, variables: { device, ip: '203.0.113.7', time: 'noon & later' } }),
    );
  const inbox = (query: string) => latchkey.console(`/dev/inbox${query}`);

  test('keeps every message, newest first, by recipient', async () => {
    await send('first@example.com');
    await send('second@example.com');
    await send('first@example.com', 'Safari on iOS');
    await eventually(async () =>
      assert.ok(
        (await inbox('?to=first@example.com')).body.items.every(({ status }: { status: string }) => status === 'sent'),
      ),
    );
    const { body } = await inbox('?to=First@example.com');
    assert.deepEqual(
      body.items.map(({ to, subject, channel }: Record<string, string>) => ({ to, subject, channel })),
      Array.from({ length: 2 }, () => ({ to: 'first@example.com', subject: 'New sign-in to Shop', channel: 'email' })),
    );
    assert.match(body.items[0].text, /Device: Safari on iOS\nAddress: 203\.0\.113\.7\nTime: noon & later/);
    assert.match(body.items[0].html, /noon &amp; later/);
    const { body: page } = await inbox('?limit=1');
    const { body: next } = await inbox(`?limit=1&cursor=${page.nextCursor}`);
    assert.equal(next.items[0].to, 'second@example.com');
  });

  test('a message of a rolled back transaction is never sent', async () => {
    await assert.rejects(
      latchkey.inProject(async (tx) => {
        await sendMessage(tx, { template: 'known_address', to: 'nobody@example.com', variables: {} });
        throw new Error('no');
      }),
    );
    const { rows } = await latchkey.system.pool.query(
      `select (select count(*) from messages where workspace_id = $1 and recipient = $2)
         + (select count(*) from graphile_worker._private_jobs where payload->>'workspaceId' = $1
            and payload->>'messageId' not in (select id from messages where workspace_id = $1)) as count`,
      [latchkey.demo.workspaceId, 'nobody@example.com'],
    );
    assert.equal(rows[0].count, 0);
  });

  test('the stored text is encrypted', async () => {
    await send('sealed@example.com');
    const { rows } = await latchkey.system.pool.query(
      `select m::text as row from messages m where recipient = 'sealed@example.com'`,
    );
    assert.ok(!rows[0].row.includes('Firefox'));
  });

  test('pages escape the messages, carry a strict policy and need no script', async () => {
    await send('page@example.com', '<script>alert(1)</script>');
    const accept = { accept: 'text/html' };
    const list = await latchkey.console('/dev/inbox?to=page@example.com', { headers: accept });
    const id = /\/dev\/inbox\/(msg_[0-9a-z]+)/.exec(list.text)?.[1];
    const detail = await latchkey.console(`/dev/inbox/${id}`, { headers: accept });
    assert.match(detail.text, /&lt;script&gt;alert/);
    for (const page of [list, detail]) {
      assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'.*frame-ancestors 'none'/);
      assert.ok(!page.text.includes('<script'));
    }
    const frame = await latchkey.console(`/dev/inbox/${id}/html`);
    assert.match(frame.headers.get('content-security-policy') ?? '', /^sandbox;/);
    assert.ok(!frame.text.includes('<script'));
    expectProblem(await latchkey.console('/dev/inbox/msg_01kaz3w9hqf8p9n2m4v5x6y7z8'), 404, 'NOT_FOUND');
    const empty = await latchkey.console('/dev/inbox?to=%22%3E%3Cb%3E', { headers: accept });
    assert.ok(!empty.text.includes('"><b>'));
  });
});

test('in production mode there is no dev inbox', async (t) => {
  const latchkey = await startTestLatchkey();
  t.after(() => latchkey.stop());
  const { get, stop } = await startProductionConsole(latchkey);
  t.after(stop);
  assert.equal(await get('/dev/inbox'), 404);
  assert.equal(await get('/dev/inbox/msg_01kaz3w9hqf8p9n2m4v5x6y7z8'), 404);
  assert.equal(await get('/'), 200);
});
