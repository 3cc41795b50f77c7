import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { seedComponents } from '#status';
import { lastMessage, managementToken, newEmail, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';

let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey();
  await seedComponents(latchkey.system);
});
after(() => latchkey.stop());

let sources = 0;
/** A request from a source of its own, with a body as it is. */
async function ask(method: string, path: string, body?: string, type = 'application/x-www-form-urlencoded') {
  sources += 1;
  const headers = {
    'x-forwarded-for': `198.19.${sources >> 8}.${sources & 255}`,
    ...(body !== undefined && { 'content-type': type }),
  };
  const { console: origin } = latchkey.system.config.addresses;
  const init = { method, headers, redirect: 'manual' as const, ...(body !== undefined && { body }) };
  const response = await fetch(origin + path, init);
  return { status: response.status, text: await response.text(), headers: response.headers };
}

/** Subscribes a mailbox. @returns the id of the subscription */
async function subscribed(email: string): Promise<string> {
  const token = await managementToken(latchkey);
  const body = { consent: 'They asked on paper.', subscribers: [{ email }] };
  await latchkey.api('/v1/admin/status/subscribers/import', { token, body });
  const { body: list } = await latchkey.api('/v1/admin/status/subscribers', { token });
  return list.items.find(({ address }: { address: string }) => address === email).id;
}

const HOSTILE = [
  ...['%00', 'a%00b', '%ED%A0%80', '%FF%FE', '%', '%2e%2e%2f', "'%20or%201=1--", '9'.repeat(2_000), '1e999', '-1'],
  ...['__proto__', '%F0%9F%98%80', '%E2%80%AE', '%0d%0aSet-Cookie:x=1', 'sub_01kaz3w9hqf8p9n2m4v5x6y7z8'],
];
const CODE = 'cod_01kaz3w9hqf8p9n2m4v5x6y7z8';

const pathsWith = (value: string) => [
  ...[`/s/${value}`, `/status/confirm?token=${value}`, `/status/unsubscribe?token=${value}`],
  ...[`/status/manage?channel=${value}`, `/status/manage?environment=${value}`, `/status?lang=${value}`],
  ...[`/status?environment=test&environment=${value}`, `/status/p/${value}`, `/status/p/x/enter?code=${value}`],
  ...[`/status/incidents/${value}`, `/status/subscribe?channel=${value}`, `/status/calendar?month=${value}`],
];
const formsWith = (value: string): [path: string, form: string][] => [
  ['/status/manage', `email=${value}`],
  ['/status/manage', `email=a%40example.com&email=${value}`],
  ['/status/manage', `phone=${value}`],
  ['/status/manage/code', `id=${value}&code=${value}`],
  ['/status/manage/code', `channel=${value}&id=${CODE}&code=${value}`],
  ['/status/manage/save', `token=${value}&componentIds=${value}`],
  ['/status/subscribe', `channel=email&address=${value}`],
  ['/status/subscribe', `channel=webhook&address=http://${value}/`],
  ['/status/subscribe', `channel=email&address=a%40example.com&componentIds=${value}`],
  [`/status/confirm?token=${value}`, `x=${value}`],
  [`/status/unsubscribe?token=${value}`, `x=${value}`],
];

describe('visitors of the status', () => {
  for (const value of HOSTILE)
    test(`BI-1 ${value.slice(0, 30)} in a link or form is a fault of the visitor`, async () => {
      const paths = pathsWith(value).flatMap((path) => ['GET', 'HEAD', 'POST'].map((method) => ask(method, path)));
      const forms = formsWith(value).map(([path, form]) => ask('POST', path, form));
      for (const { status, text, headers } of await Promise.all([...paths, ...forms])) {
        assert.ok(status < 500, text);
        assert.doesNotMatch(headers.get('set-cookie') ?? '', /^x=/);
      }
    });

  test('BI-1 bodies that are huge, deep or no form are refused', async () => {
    const bodies: [body: string, type: string][] = [
      ['['.repeat(50_000), 'application/json'],
      ['{"channel":"email","email":"\\ud800@example.com"}', 'application/json'],
      [`{"channel":"email","email":"a@example.com","componentIds":[${'"x",'.repeat(5_000)}"x"]}`, 'application/json'],
      ['componentIds=a&'.repeat(100_000), 'application/x-www-form-urlencoded'],
      ['a[b][c]=1', 'application/x-www-form-urlencoded'],
      ['<a/>', 'text/xml'],
    ];
    const paths = ['/api/status/subscribe', '/status/manage', '/status/manage/code', '/status/manage/save'];
    const asked = paths.flatMap((path) => bodies.map(([body, type]) => ask('POST', path, body, type)));
    for (const { status, text } of await Promise.all(asked)) assert.ok(status >= 400 && status < 500, text);
  });

  test('a mailbox gets ten codes an hour, from whichever sources they are requested, and the page says the same', async () => {
    const [email, unknown] = [newEmail(), newEmail()];
    await subscribed(email);
    const claim = (address: string) =>
      ask('POST', '/status/manage?environment=test&lang=en', `email=${encodeURIComponent(address)}`);
    const pages = await Promise.all([
      ...Array.from({ length: 30 }, () => claim(email.toUpperCase())),
      ...Array.from({ length: 12 }, () => claim(unknown)),
    ]);
    assert.deepEqual([...new Set(pages.map(({ status }) => status))], [200]);
    assert.equal(new Set(pages.map(({ text }) => text.replaceAll(/cod_\w+/g, ''))).size, 1);
    const { rows } = await latchkey.system.pool.query(
      `select from messages where recipient = $1 and status <> 'suppressed' /* all workspaces */`,
      [email],
    );
    assert.equal(rows.length, 10);
  });

  test('a subscription that ends while it is saved keeps nothing', async () => {
    const email = newEmail();
    const subscriberId = await subscribed(email);
    const { text } = await ask('POST', '/status/manage?environment=test', `email=${encodeURIComponent(email)}`);
    const id = /name="id" value="(\w+)"/.exec(text)?.[1] ?? '';
    const code = /\b\d{6,8}\b/.exec((await lastMessage(latchkey, email)).subject)?.[0] ?? '';
    const opened = await ask('POST', '/status/manage/code?environment=test', `id=${id}&code=${code}`);
    const open = /name="token" value="([^"]+)"/.exec(opened.text)?.[1] ?? '';
    const end = /action="(\/status\/unsubscribe\?token=[^"]+)"/.exec(opened.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    assert.ok(open && end, opened.text);
    const save = () => ask('POST', '/status/manage/save?environment=test', `token=${open}&componentIds=api`);
    await Promise.all([save(), save(), ask('POST', end, ''), save(), save(), save(), save()]);
    assert.equal((await save()).status, 400);
    const { rows } = await latchkey.system.pool.query(
      'select address, component_ids from status_subscribers where id = $1 /* all workspaces */',
      [subscriberId],
    );
    assert.deepEqual(rows, [{ address: '', component_ids: [] }]);
  });
});
