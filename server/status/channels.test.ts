import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startChatServices } from '#tests/chat-services.ts';
import {
  eventually,
  expectProblem,
  managementToken,
  startTestLatchkey,
  TestClock,
  type TestLatchkey,
  type TestResponse,
} from '#tests/harness.ts';
import { elsewhere } from '#tests/visitors.ts';
import { seedComponents } from './components.ts';

const KINDS = ['slack', 'teams', 'discord'] as const;
type Kind = (typeof KINDS)[number];
const MINUTE = 60_000;

let latchkey: TestLatchkey;
let chats: Awaited<ReturnType<typeof startChatServices>>;
const clock = new TestClock();
before(async () => {
  chats = await startChatServices();
  latchkey = await startTestLatchkey({ clock, settings: { LATCHKEY_STATUS_CHAT_HOSTS: chats.hosts } });
  await seedComponents(latchkey.system);
});
after(async () => {
  await latchkey.stop();
  await chats.stop();
});

const admin = async (path: string, call: Parameters<TestLatchkey['api']>[1] = {}): Promise<TestResponse> =>
  latchkey.api(`/v1/admin/status${path}`, { token: await managementToken(latchkey), ...call });
const subscribe = (body: Record<string, unknown>): Promise<TestResponse> =>
  latchkey.api('/api/status/subscribe', { body, headers: elsewhere() });
const page = (path: string, form?: Record<string, string>): Promise<TestResponse> =>
  latchkey.console(path, form ? { method: 'POST', body: new URLSearchParams(form), headers: elsewhere() } : {});
const openIncident = (body: Record<string, unknown> = {}) =>
  admin('/incidents', { body: { title: 'Slow sign-in', severity: 'minor', body: 'We look into it.', ...body } });
/** The path of a link in the newest message to a channel. */
const linkIn = (kind: Kind, name: string, to: 'confirm' | 'unsubscribe') =>
  eventually(async () => {
    const link = new RegExp(`(/status/${to}\\?token=[\\w.-]+)`).exec(chats.at(kind, name).at(-1)?.body ?? '')?.[1];
    assert.ok(link, `no link in ${JSON.stringify(chats.at(kind, name))}`);
    return link;
  });
const confirmed = async (kind: Kind, name: string): Promise<void> => {
  assert.equal((await subscribe({ channel: kind, url: chats.addressOf(kind, name) })).status, 202);
  assert.match((await page(await linkIn(kind, name, 'confirm'), {})).text, /You are subscribed/);
};
const records = async (query = ''): Promise<{ id: string; channel: string; address: string; state: string }[]> =>
  (await admin(`/subscribers?limit=100${query}`)).body.items;
const stateOf = async (kind: Kind, name: string) => {
  const ending = chats.addressOf(kind, name).slice(-4);
  return (await records(`&channel=${kind}`)).find(({ address }) => address.endsWith(ending))?.state;
};

describe('a chat channel', () => {
  for (const kind of KINDS)
    test(`${kind}: is asked first, gets each phase as the service documents it, and ends with the link`, async () => {
      await confirmed(kind, 'team');
      const { id } = (
        await openIncident({ title: 'Mail <!channel> & co', severity: 'critical', componentIds: ['email'] })
      ).body;
      await admin(`/incidents/${id}/updates`, { body: { phase: 'resolved', body: 'All works.' } });
      const messages = await eventually(async () => {
        assert.equal(chats.at(kind, 'team').length, 3);
        return chats.at(kind, 'team');
      });
      for (const { status, headers, body } of messages) {
        assert.ok(status < 300, `${status} for ${body}`);
        assert.ok(!('webhook-signature' in headers), 'the service documents no signature');
      }
      const [, ...told] = messages.map(({ body }) => body);
      const opened = told.find((body) => body.includes('Investigating'));
      const over = told.find((body) => body.includes('Resolved'));
      assert.ok(opened && over);
      assert.ok(opened.includes('We look into it.') && opened.includes('Critical') && opened.includes('Email'));
      assert.ok(opened.includes(`/status/incidents/${id}`) && over.includes('All works.'));
      if (kind === 'slack')
        assert.ok(!opened.split('"section"')[1]?.includes('<!channel>') && opened.includes('&lt;!channel&gt;'));
      await page(await linkIn(kind, 'team', 'unsubscribe'), {});
      assert.equal(await stateOf(kind, 'team'), undefined);
      const { id: unheard } = (await openIncident({ title: 'Unheard' })).body;
      await eventually(async () => {
        const { rows } = await latchkey.system.pool.query(
          'select 1 from status_notices where subject_id = $1 and done_at is not null',
          [unheard],
        );
        assert.equal(rows.length, 1);
      });
      assert.equal(chats.at(kind, 'team').length, 3);
    });

  test('the longest texts stay within the limits of each service', async () => {
    await Promise.all(KINDS.map((kind) => confirmed(kind, 'long')));
    await openIncident({ title: '<'.repeat(200), body: '&'.repeat(10_000) });
    for (const kind of KINDS) {
      // biome-ignore lint/performance/noAwaitInLoops: the messages are already sent
      await eventually(async () => {
        const message = chats.at(kind, 'long')[1];
        assert.ok(message && message.status < 300, `${kind} responded ${message?.status}`);
      });
    }
  });

  test('addresses of other hosts are refused, and nobody is shown the secret of an address', async () => {
    const wrong = [
      { channel: 'slack', url: 'https://hooks.slack.com.example.com/services/T0/B0/abc' },
      { channel: 'slack', url: 'https://hooks.slack.com/commands/T0/B0/abc' },
      { channel: 'slack', url: 'http://hooks.slack.com/services/T0/B0/abc' },
      { channel: 'slack', url: 'https://hooks.slack.com:8443/services/T0/B0/abc' },
      { channel: 'slack', url: 'https://user@hooks.slack.com/services/T0/B0/abc' },
      { channel: 'discord', url: 'https://hooks.slack.com/services/T0/B0/abc' },
      { channel: 'discord', url: chats.addressOf('slack', 'x').replace(/:\d+/, ':9') },
      { channel: 'teams', url: 'https://logic.azure.com/workflows/1/triggers/manual/paths/invoke' },
      { channel: 'teams', url: 'https://prod-1.logic.azure.com.example.com/workflows/1/triggers/x' },
    ];
    for (const body of wrong) {
      // biome-ignore lint/performance/noAwaitInLoops: each is its own request
      expectProblem(await subscribe(body), 400, 'VALIDATION_FAILED');
    }
    await confirmed('slack', 'B0/secret-of-the-channel-7Qx9');
    const all = JSON.stringify(await records());
    assert.ok(all.includes('7Qx9') && !all.includes('secret-of-the-channel'));
    const path = await linkIn('slack', 'B0/secret-of-the-channel-7Qx9', 'unsubscribe');
    assert.ok(!(await page(path)).text.includes('secret-of-the-channel'));
  });

  test('a webhook that its owner deleted is suspended at once, one that was never confirmed is forgotten', async () => {
    await confirmed('discord', 'away');
    chats.on('discord', 'away', 'unknown');
    chats.on('slack', 'typo', 'unknown');
    await subscribe({ channel: 'slack', url: chats.addressOf('slack', 'typo') });
    await openIncident({ title: 'For a deleted webhook' });
    await eventually(async () => {
      assert.equal(await stateOf('discord', 'away'), 'quarantined');
      assert.equal(await stateOf('slack', 'typo'), undefined);
    });
    const { rows } = await latchkey.system.pool.query(
      `select data from events where type = 'status.subscriber.quarantined'`,
    );
    assert.ok(rows.some(({ data }) => data.channel === 'discord' && data.reason === 'failing'));
  });

  test('a service that asks for patience gets the message later', async () => {
    await confirmed('teams', 'busy');
    chats.on('teams', 'busy', { status: 429, headers: { 'retry-after': '30' } });
    await openIncident({ title: 'For a busy service' });
    await eventually(async () => {
      const { rows } = await latchkey.system.pool.query(
        `select 1 from webhook_deliveries d join webhook_endpoints e on e.workspace_id = d.workspace_id and e.id = d.endpoint_id
         where e.url = $1 and d.status = 'retrying'`,
        [chats.addressOf('teams', 'busy')],
      );
      assert.equal(rows.length, 1);
    });
    assert.equal(chats.at('teams', 'busy').at(-1)?.status, 429);
    chats.on('teams', 'busy', { status: 202 });
    clock.advance(MINUTE);
    await eventually(async () => assert.equal(chats.at('teams', 'busy').at(-1)?.status, 202));
    assert.equal(await stateOf('teams', 'busy'), 'active');
  });

  test('a channel is asked three times a day at most, by all visitors together', async () => {
    const url = chats.addressOf('slack', 'asked');
    for (const _ of [1, 2, 3, 4, 5]) {
      // biome-ignore lint/performance/noAwaitInLoops: they count up
      assert.equal((await subscribe({ channel: 'slack', url })).status, 202);
    }
    await confirmed('slack', 'after');
    assert.equal(chats.at('slack', 'asked').length, 3);
  });
});

describe('the forms of the page', () => {
  test('each channel has one, which keeps what was entered when it is wrong', async () => {
    assert.match(
      (await page('/status?environment=test')).text,
      /channel=slack[\s\S]*channel=teams[\s\S]*channel=discord/,
    );
    const form = await page('/status/subscribe?environment=test&channel=slack&lang=de');
    assert.match(form.text, /Adresse des eingehenden Webhooks/);
    const wrong = await page('/status/subscribe?environment=test&lang=de', {
      channel: 'slack',
      address: 'https://example.com/"><script>',
      componentIds: 'email',
    });
    assert.equal(wrong.status, 400);
    assert.match(
      wrong.text,
      /role="alert"[\s\S]*value="https:\/\/example.com\/&quot;&gt;&lt;script&gt;"[\s\S]*value="email" checked/,
    );
    const sent = await page('/status/subscribe?environment=test', {
      channel: 'discord',
      address: chats.addressOf('discord', 'form'),
      componentIds: 'email',
    });
    assert.match(sent.text, /Almost done/);
    await eventually(async () => assert.equal(chats.at('discord', 'form').length, 1));
    const [record] = await records('&channel=discord&state=pending');
    assert.match(record?.address ?? '', /^127\.0\.0\.1:\d+\/…form$/);
  });
});

describe('before something is published', () => {
  test('the message of each channel and its number of subscribers are shown, and nothing is sent', async () => {
    await confirmed('slack', 'preview');
    const notice = {
      kind: 'incident',
      title: 'Slow mails',
      body: 'We look into it.',
      phase: 'identified',
      severity: 'major',
      componentIds: ['email'],
    };
    const { status, body } = await admin('/preview', { body: notice });
    assert.equal(status, 200);
    const of = (channel: string) => body.messages.find((one: { channel: string }) => one.channel === channel);
    const active = await records('&channel=slack&state=active');
    assert.equal(of('slack').count, active.length);
    assert.equal(
      body.count,
      body.messages.reduce((sum: number, { count }: { count: number }) => sum + count, 0),
    );
    assert.equal(of('email').subject, '[Shop] Slow mails: Identified');
    assert.match(of('email').text, /We look into it\.\n\nAffected: Email/);
    assert.match(of('slack').text, /^Slow mails\nIdentified · Major · Shop status\n\nWe look into it\./);
    assert.equal(JSON.parse(of('webhook').text).data.phase, 'identified');
    expectProblem(
      await admin('/preview', { body: { ...notice, componentIds: ['nothing'] } }),
      400,
      'VALIDATION_FAILED',
    );
    assert.equal(chats.at('slack', 'preview').length, 1, 'the message that asked');
  });
});
