import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { Webhook } from 'standardwebhooks';
import { observeStatements } from '#platform/db.ts';
import {
  eventually,
  expectProblem,
  managementToken,
  newEmail,
  startTestLatchkey,
  TestClock,
  type TestLatchkey,
  type TestResponse,
} from '#tests/harness.ts';
import { type Receiver, startReceiver } from '#tests/receiver.ts';
import { seedComponents } from './components.ts';

const HOUR = 3_600_000;
const PENDING = { status: 'confirmation_required' };

type Mail = { to: string; subject: string; text: string; headers: Record<string, string> };

/** A mail server that stores mails and refuses addresses that start with `gone`. */
async function startMailServer() {
  const mails: Mail[] = [];
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onRcptTo({ address }, _session, done) {
      done(address.startsWith('gone') ? Object.assign(new Error('no such user'), { responseCode: 550 }) : null);
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        PostalMime.parse(Buffer.concat(chunks))
          .then(({ subject = '', text = '', headers }) => {
            const to = session.envelope.rcptTo[0]?.address ?? '';
            mails.push({
              to,
              subject,
              text,
              headers: Object.fromEntries(headers.map(({ key, value }) => [key, value])),
            });
            done();
          })
          .catch(done);
      });
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const address = server.server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const to = (email: string) => mails.filter((mail) => mail.to === email);
  return { mails, to, url: `smtp://127.0.0.1:${port}`, stop: () => new Promise<void>((done) => server.close(done)) };
}

let latchkey: TestLatchkey;
let receiver: Receiver;
let smtp: Awaited<ReturnType<typeof startMailServer>>;
const clock = new TestClock();
let place = 0;
before(async () => {
  [smtp, receiver] = await Promise.all([startMailServer(), startReceiver()]);
  latchkey = await startTestLatchkey({ clock, settings: { LATCHKEY_SMTP_URL: smtp.url } });
  await seedComponents(latchkey.system);
});
after(async () => {
  await latchkey.stop();
  await Promise.all([smtp.stop(), receiver.stop()]);
});

const admin = async (path: string, call: Parameters<TestLatchkey['api']>[1] = {}): Promise<TestResponse> =>
  latchkey.api(`/v1/admin/status${path}`, { token: await managementToken(latchkey), ...call });
/** Each from another address, so that no rate limit applies. */
const subscribe = (body: Record<string, unknown>): Promise<TestResponse> => {
  place += 1;
  const from = `203.0.113.${place}`;
  return latchkey.api('/api/status/subscribe', { body, headers: { 'x-forwarded-for': from } });
};
const page = (path: string, form?: Record<string, string>): Promise<TestResponse> =>
  latchkey.console(path, form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) });
/** The path of the newest link in a mail to an address. */
const mailedPath = async (email: string, kind: 'confirm' | 'unsubscribe'): Promise<string> =>
  eventually(async () => {
    const link = new RegExp(`http\\S+(/status/${kind}\\?token=\\S+)`).exec(smtp.to(email).at(-1)?.text ?? '')?.[1];
    assert.ok(link, `no link in ${JSON.stringify(smtp.to(email))}`);
    return link;
  });
const stateOf = async (address: string): Promise<string | undefined> => {
  const { items } = (await admin('/subscribers?limit=100')).body;
  return items.find((one: { address: string }) => one.address === address)?.state;
};
const confirmed = async (email: string, extra: Record<string, unknown> = {}): Promise<void> => {
  assert.deepEqual((await subscribe({ channel: 'email', email, ...extra })).body, PENDING);
  assert.equal((await page(await mailedPath(email, 'confirm'), {})).status, 200);
};
const openIncident = (body: Record<string, unknown> = {}) =>
  admin('/incidents', { body: { title: 'Slow sign-in', severity: 'minor', body: 'We look into it.', ...body } });

describe('POST /api/status/subscribe', () => {
  test('ST-1 responds the same for an address that is new, pending, active, gone or bouncing; only the first gets mail', async () => {
    const email = newEmail();
    const ask = async () => {
      const { status, body, headers } = await subscribe({ channel: 'email', email });
      return [status, body, [...headers.keys()].sort()];
    };
    const fresh = await ask();
    assert.deepEqual([fresh[0], fresh[1]], [202, PENDING]);
    assert.deepEqual(await ask(), fresh);
    assert.equal((await page(await mailedPath(email, 'confirm'), {})).status, 200);
    await eventually(async () => assert.equal(smtp.to(email).length, 2));
    assert.deepEqual(await ask(), fresh);
    await admin('/subscribers/bounces', { body: { emails: [email] } });
    assert.deepEqual(await ask(), fresh);
    assert.equal(await stateOf(email), 'quarantined');
    const other = newEmail();
    await confirmed(other);
    assert.equal(smtp.to(email).length, 2, 'nothing more');
  });

  test('400 for an unknown channel names the known ones; 429 for the sixth request from one source', async () => {
    const response = await subscribe({ channel: 'pigeon', email: newEmail() });
    expectProblem(response, 400, 'UNSUPPORTED_CHANNEL');
    assert.match(response.body.detail, /email, webhook/);
    expectProblem(await subscribe({ channel: 'webhook', email: newEmail() }), 400, 'VALIDATION_FAILED');
    const headers = { 'x-forwarded-for': '198.51.100.7' };
    const again = () =>
      latchkey.api('/api/status/subscribe', { body: { channel: 'email', email: newEmail() }, headers });
    for (let count = 0; count < 5; count += 1) {
      // biome-ignore lint/performance/noAwaitInLoops: they count up
      assert.equal((await again()).status, 202);
    }
    const refused = await again();
    expectProblem(refused, 429, 'RATE_LIMIT_EXCEEDED');
    assert.ok(refused.headers.get('retry-after'));
  });

  test('WH-2 a webhook address that is not public is refused', async () => {
    expectProblem(
      await subscribe({ channel: 'webhook', url: 'http://169.254.169.254/latest' }),
      400,
      'VALIDATION_FAILED',
    );
  });
});

describe('links', () => {
  test('ST-2 a GET changes nothing; the POST confirms; the mail can be ended with one click, without signing in', async () => {
    const email = newEmail();
    await subscribe({ channel: 'email', email });
    const path = await mailedPath(email, 'confirm');
    assert.match((await page(path)).text, /Confirm your subscription/);
    assert.equal(await stateOf(email), 'pending');
    assert.match((await page(path, {})).text, /You are subscribed/);
    assert.equal(await stateOf(email), 'active');
    const [mail] = smtp.to(email);
    assert.ok(mail);
    const { headers } = mail;
    assert.equal(headers['list-unsubscribe-post'], 'List-Unsubscribe=One-Click');
    const link = /<(.*)>/.exec(headers['list-unsubscribe'] ?? '')?.[1] ?? '';
    const { pathname, search } = new URL(link);
    assert.equal((await page(pathname + search)).status, 200);
    assert.equal(await stateOf(email), 'active');
    for (const _ of [1, 2]) {
      // biome-ignore lint/performance/noAwaitInLoops: again changes nothing
      const response = await latchkey.console(pathname + search, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
      assert.equal(response.status, 200, response.text);
    }
    assert.equal(await stateOf(email), undefined, 'the address is forgotten');
    assert.equal((await page(path, {})).status, 400, 'and the old link brings nothing back');
  });
});

describe('a notice', () => {
  test('ST-3 is sent once per phase to the affected subscribers, in their language, with an unsubscribe link', async () => {
    const told = async (ids: string) => (await admin(`/subscribers/count?componentIds=${ids}`)).body.count;
    const before = [await told('auth'), await told('')];
    const [all, some, others, german] = [newEmail(), newEmail(), newEmail(), newEmail()];
    await confirmed(all);
    await confirmed(some, { componentIds: ['auth'] });
    await confirmed(others, { componentIds: ['database'] });
    await admin('/subscribers/import', {
      body: { consent: 'Newsletter of January 2026', subscribers: [{ email: german, locale: 'de' }] },
    });
    const after = [await told('auth'), await told('')];
    assert.deepEqual(
      after.map((count, index) => count - before[index]),
      [3, 4],
    );
    const { id } = (await openIncident({ componentIds: ['auth'] })).body;
    const update = (phase: string) => admin(`/incidents/${id}/updates`, { body: { phase, body: `Now ${phase}.` } });
    await update('investigating');
    await update('resolved');
    await eventually(async () => {
      const notices = (email: string) => smtp.to(email).filter(({ subject }) => subject.includes('Slow sign-in'));
      assert.deepEqual(
        notices(all)
          .map(({ subject }) => subject)
          .sort(),
        ['[Shop] Slow sign-in: Investigating', '[Shop] Slow sign-in: Resolved'],
      );
      assert.deepEqual(
        [some, others, german].map((email) => notices(email).length),
        [2, 0, 2],
      );
      assert.ok(notices(german).some(({ subject, text }) => subject.endsWith('Behoben') && text.includes('Abmelden')));
      for (const { headers } of notices(all)) assert.match(headers['list-unsubscribe'] ?? '', /unsubscribe\?token=/);
    });
    const path = await mailedPath(some, 'unsubscribe');
    assert.equal((await page(path, { 'List-Unsubscribe': 'One-Click' })).status, 200);
  });

  test('a permanent rejection of the address quarantines the subscriber', async () => {
    const email = `gone.${newEmail()}`;
    await admin('/subscribers/import', { body: { consent: 'They asked by phone.', subscribers: [{ email }] } });
    await openIncident();
    await eventually(async () => assert.equal(await stateOf(email), 'quarantined'));
  });

  test('ST-3 to a webhook is confirmed first, signed like any other, and ends with its subscription', async () => {
    const url = `${receiver.origin}/status`;
    assert.deepEqual((await subscribe({ channel: 'webhook', url })).body, PENDING);
    const [asked] = await eventually(async () => {
      assert.equal(receiver.at('/status').length, 1);
      return receiver.at('/status');
    });
    const { data } = JSON.parse(asked?.body ?? '{}');
    const { pathname, search } = new URL(data.confirmUrl);
    const done = await page(pathname + search, {});
    const secret = /whsec_[\w+/=]+/.exec(done.text)?.[0];
    assert.ok(secret, done.text);
    const again = await latchkey.console(pathname + search, { method: 'POST' });
    assert.ok(again.status === 200 && !again.text.includes('whsec_'), 'shown once');
    await openIncident({ title: 'For webhooks' });
    const [, told] = await eventually(async () => {
      assert.equal(receiver.at('/status').length, 2);
      return receiver.at('/status');
    });
    assert.ok(told);
    const message: unknown = new Webhook(secret).verify(told.body, told.headers);
    assert.ok(
      typeof message === 'object' && message !== null && 'type' in message && message.type === 'status.incident',
    );
    const end = new URL(JSON.parse(told.body).data.unsubscribeUrl);
    await page(end.pathname + end.search, {});
    const { id } = (await openIncident({ title: 'Unheard' })).body;
    await eventually(async () => {
      const { rows } = await latchkey.system.pool.query(
        'select 1 from status_notices where subject_id = $1 and done_at is not null',
        [id],
      );
      assert.equal(rows.length, 1);
    });
    assert.equal(receiver.at('/status').length, 2);
  });
});

describe('one’s own subscription', () => {
  test('a mailed code opens it for changes; an unknown address gets the same page and no mail', async () => {
    const email = newEmail();
    await confirmed(email);
    const stranger = newEmail();
    const ask = (address: string) => page('/status/manage?environment=test', { email: address });
    const idIn = (response: TestResponse) => /name="id" value="(\w+)"/.exec(response.text)?.[1] ?? '';
    const [known, unknown] = [await ask(email), await ask(stranger)];
    assert.equal(known.text.replace(idIn(known), ''), unknown.text.replace(idIn(unknown), ''));
    const code = await eventually(async () => {
      const found = /(\d{8})/.exec(smtp.to(email).at(-1)?.subject ?? '')?.[1];
      assert.ok(found);
      return found;
    });
    assert.equal(smtp.to(stranger).length, 0);
    const open = (id: string, given: string) => page('/status/manage/code?environment=test', { id, code: given });
    assert.equal((await open(idIn(known), '00000000')).status, 400);
    const { rows: kept } = await latchkey.system.pool.query('select code_hash from status_codes where id = $1', [
      idIn(known),
    ]);
    const plain = createHash('sha256')
      .update(`${idIn(known)} ${code}`)
      .digest();
    assert.ok(!kept[0].code_hash.equals(plain), 'a stolen table does not give the code away');
    assert.equal((await open(idIn(unknown), code)).status, 400);
    const opened = await open(idIn(known), code);
    assert.equal(opened.status, 200, opened.text);
    assert.equal((await open(idIn(known), code)).status, 400, 'once');
    const token = /name="token" value="([^"]+)"/.exec(opened.text)?.[1] ?? '';
    const saved = await page('/status/manage/save?environment=test', { token, componentIds: 'database' });
    assert.match(saved.text, /Saved\./);
    const { items } = (await admin('/subscribers?limit=100&state=active')).body;
    const record = items.find(({ address }: { address: string }) => address === email);
    assert.deepEqual(record.componentIds, ['database']);
  });
});

describe('importing subscribers', () => {
  test('needs stated consent, and does not restore unsubscribed addresses', async () => {
    const email = newEmail();
    await confirmed(email);
    await openIncident({ title: 'Goodbye' });
    await page(await mailedPath(email, 'unsubscribe'), {});
    const subscribers = [{ email }, { email: newEmail() }];
    expectProblem(await admin('/subscribers/import', { body: { subscribers } }), 400, 'VALIDATION_FAILED');
    const { body } = await admin('/subscribers/import', { body: { consent: 'Terms of 2026', subscribers } });
    assert.deepEqual(body, { added: 1, skipped: 1 });
  });

  test('100,000 subscribers: a notice is queued immediately, and sign-in mail goes first', async () => {
    await latchkey.system.pool.query(`
      insert into status_subscribers (environment, id, channel, address, address_digest, state, component_ids, source, consent, created_at, updated_at)
      select 'test', 'sub_' || lpad(n::text, 26, '0'), 'email', 'bulk' || n || '@example.com', sha256(('bulk' || n)::bytea), 'active', '{console}', 'import', 'test', now(), now()
      from generate_series(1, 100000) as n`);
    let statements = 0;
    const stop = observeStatements(() => {
      statements += 1;
    });
    assert.equal((await openIncident({ title: 'To many', componentIds: ['console'] })).status, 201);
    stop();
    assert.ok(statements < 10_000, `${statements} statements`);
    await eventually(async () => assert.ok(smtp.mails.some(({ to }) => to.startsWith('bulk'))));
    const email = newEmail();
    await latchkey.auth('/v1/auth/login/email-code', { body: { email } });
    await latchkey.auth(
      '/v1/auth/register',
      { body: { email, password: 'correct horse battery staple' } },
      'production',
    );
    await eventually(async () => assert.equal(smtp.to(email).length, 1));
    const { rows } = await latchkey.system.pool.query(
      `select count(*) as waiting from graphile_worker.jobs where priority > 0 and task_identifier in ('send_message', 'status_notice')`,
    );
    assert.ok(rows[0].waiting > 0, 'others still wait');
    // The rest does not matter here.
    await latchkey.system.pool.query(`update status_notices set done_at = now()`);
    await latchkey.system.pool.query(
      `update messages /* all workspaces */ set status = 'expired' where status = 'queued'`,
    );
  });
});

// Last, because it advances the clock.
describe('a confirmation link', () => {
  test('ST-1 expires after 24 hours, works for nothing else, and cannot be forged', async () => {
    const email = newEmail();
    await subscribe({ channel: 'email', email });
    const path = await mailedPath(email, 'confirm');
    assert.equal((await page(path.replace('/confirm', '/unsubscribe'), {})).status, 400);
    assert.equal((await page(`${path.slice(0, -4)}AAAA`, {})).status, 400);
    clock.advance(24 * HOUR);
    const dead = await page(path, {});
    assert.equal(dead.status, 400);
    assert.match(dead.text, /no longer works/);
    assert.equal(await stateOf(email), 'pending');
  });
});
