import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { SMTPServer } from 'smtp-server';
import { sendMail } from '#platform/messages.ts';
import { eventually, expectProblem, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { startProductionConsole } from '#tests/production.ts';

describe('the dev inbox', () => {
  let latchkey: TestLatchkey;
  before(async () => {
    latchkey = await startTestLatchkey();
  });
  after(() => latchkey.stop());

  const send = (to: string, extra: { html?: string } = {}) =>
    latchkey.inProject((tx) => sendMail(tx, { to, subject: 'Hello <you>', text: 'The text & more', ...extra }));
  const inbox = (query: string) => latchkey.console(`/dev/inbox${query}`);

  test('keeps every mail, newest first, by recipient', async () => {
    await send('first@example.com');
    await send('second@example.com');
    await send('first@example.com', { html: '<p>Hi</p>' });
    await eventually(async () =>
      assert.ok(
        (await inbox('?to=first@example.com')).body.items.every(({ status }: { status: string }) => status === 'sent'),
      ),
    );
    const { body } = await inbox('?to=First@example.com');
    assert.deepEqual(
      body.items.map(({ to, subject, text, html, channel }: Record<string, string>) => ({
        to,
        subject,
        text,
        html,
        channel,
      })),
      [
        {
          to: 'first@example.com',
          subject: 'Hello <you>',
          text: 'The text & more',
          html: '<p>Hi</p>',
          channel: 'email',
        },
        { to: 'first@example.com', subject: 'Hello <you>', text: 'The text & more', html: null, channel: 'email' },
      ],
    );
    const { body: page } = await inbox('?limit=1');
    const { body: next } = await inbox(`?limit=1&cursor=${page.nextCursor}`);
    assert.equal(next.items[0].to, 'second@example.com');
  });

  test('a mail of a rolled back transaction is never sent', async () => {
    await assert.rejects(
      latchkey.inProject(async (tx) => {
        await sendMail(tx, { to: 'nobody@example.com', subject: 'x', text: 'x' });
        throw new Error('no');
      }),
    );
    const { rows } = await latchkey.system.pool.query(
      'select (select count(*) from messages where recipient = $1) + (select count(*) from graphile_worker.jobs where task_identifier = $2 and attempts > 0) as count',
      ['nobody@example.com', 'send_message'],
    );
    assert.equal(rows[0].count, 0);
  });

  test('the stored text is encrypted', async () => {
    await send('sealed@example.com');
    const { rows } = await latchkey.system.pool.query(
      `select m::text as row from messages m where recipient = 'sealed@example.com'`,
    );
    assert.ok(!rows[0].row.includes('The text'));
  });

  test('pages escape what was sent, carry a strict policy and need no script', async () => {
    await send('page@example.com', { html: '<script>alert(1)</script>' });
    const accept = { accept: 'text/html' };
    const list = await latchkey.console('/dev/inbox?to=page@example.com', { headers: accept });
    assert.match(list.text, /Hello &lt;you&gt;/);
    const id = /\/dev\/inbox\/(msg_[0-9a-z]+)/.exec(list.text)?.[1];
    const detail = await latchkey.console(`/dev/inbox/${id}`, { headers: accept });
    assert.match(detail.text, /The text &amp; more/);
    for (const page of [list, detail]) {
      assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'.*frame-ancestors 'none'/);
      assert.ok(!page.text.includes('<script'));
    }
    const frame = await latchkey.console(`/dev/inbox/${id}/html`);
    assert.match(frame.headers.get('content-security-policy') ?? '', /^sandbox;/);
    expectProblem(await latchkey.console('/dev/inbox/msg_01kaz3w9hqf8p9n2m4v5x6y7z8'), 404, 'NOT_FOUND');
    const empty = await latchkey.console('/dev/inbox?to=%22%3E%3Cb%3E', { headers: accept });
    assert.ok(!empty.text.includes('"><b>'));
  });
});

describe('a mail server', () => {
  const received: string[] = [];
  let refuse = 1;
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData(stream, _session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        if (refuse > 0) {
          refuse -= 1;
          return done(Object.assign(new Error('come back later'), { responseCode: 451 }));
        }
        received.push(Buffer.concat(chunks).toString());
        return done();
      });
    },
  });
  let latchkey: TestLatchkey;
  before(async () => {
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const address = server.server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    latchkey = await startTestLatchkey({
      settings: { LATCHKEY_SMTP_URL: `smtp://127.0.0.1:${port}`, LATCHKEY_MAIL_FROM: 'Shop <shop@example.com>' },
    });
  });
  after(async () => {
    await latchkey.stop();
    await new Promise<void>((resolve) => {
      server.close(resolve);
    });
  });

  test('gets the mail, again after it refused the first try, and the inbox keeps it too', async () => {
    await latchkey.inProject((tx) => sendMail(tx, { to: 'ada@example.com', subject: 'Grüße', text: 'Dein Code' }));
    await eventually(async () => assert.equal(refuse, 0));
    // The queue waits a little longer after every failure; a test need not.
    await latchkey.system.pool.query(`update graphile_worker._private_jobs set run_at = now()`);
    await eventually(async () => assert.equal(received.length, 1), 15_000);
    assert.match(received[0] ?? '', /^From: Shop <shop@example.com>$/m);
    assert.match(received[0] ?? '', /^To: ada@example.com$/m);
    assert.match(received[0] ?? '', /^Message-ID: <msg_[0-9a-z]+@latchkey>$/m);
    await eventually(async () =>
      assert.equal((await latchkey.console('/dev/inbox?to=ada@example.com')).body.items[0].status, 'sent'),
    );
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
