import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import type { Brand } from '#branding';
import { effectiveSettings, languages } from '#settings';
import {
  eventually,
  expectProblem,
  managementToken,
  startTestLatchkey,
  TestClock,
  type TestLatchkey,
} from '#tests/harness.ts';
import { removeOldMessages, sendMessage } from './messages.ts';
import { builtInTexts, faultsOf, render, sampleVariables } from './render.ts';
import { templateIds } from './templates.ts';

const mail = (latchkey: TestLatchkey, to: string, extra: { locale?: string; expiresAt?: Date } = {}) =>
  latchkey.inProject((tx) =>
    sendMessage(tx, { template: 'sign_in_code', to, variables: { code: '12345678', minutes: 10 }, ...extra }),
  );

/** Skips the backoff of the queue after a failure. */
const runAgain = (latchkey: TestLatchkey) =>
  latchkey.system.pool.query(`update graphile_worker._private_jobs set run_at = now()`);

const BRAND: Brand = {
  ...effectiveSettings('test', {}).branding,
  ...{ name: 'Shop', darkLogoUrl: null, faviconUrl: null, sheet: '', besideLogo: false },
};

describe('templates', () => {
  test('every template renders in every language', () => {
    for (const language of languages)
      for (const template of templateIds) {
        const text = builtInTexts[language][template];
        assert.deepEqual(faultsOf(template, language, text), [], `${template} ${language}`);
        const filled = render({ template, language, brand: BRAND }, text, sampleVariables(template));
        assert.ok(!/[{}]/.test(filled.subject + filled.text), `${template} ${language}: ${filled.text}`);
        const direction = language === 'ar' ? 'rtl' : 'ltr';
        assert.ok(filled.html?.includes(`<html lang="${language}" dir="${direction}">`) ?? true, template);
      }
  });

  test('every value in HTML is escaped', () => {
    const { html } = render({ template: 'new_device', language: 'en', brand: BRAND }, builtInTexts.en.new_device, {
      ...sampleVariables('new_device'),
      device: '<img src=x onerror=alert(1)>',
    });
    assert.ok(html?.includes('&lt;img') && !html.includes('<img'));
  });
});

test('messages are deleted after ninety days', async () => {
  const clock = new TestClock(Date.now() - 91 * 86_400_000);
  const latchkey = await startTestLatchkey({ clock, settings: { LATCHKEY_ROLES: 'auth,api,console' } });
  const [old, recent] = ['old@people.example', 'recent@people.example'];
  await mail(latchkey, old);
  clock.advance(2 * 86_400_000);
  await mail(latchkey, recent);
  clock.advance(89 * 86_400_000);
  await removeOldMessages(latchkey.system);
  const { rows } = await latchkey.system.pool.query('select recipient from messages where recipient = any($1)', [
    [old, recent],
  ]);
  assert.deepEqual(rows, [{ recipient: recent }]);
  await latchkey.stop();
});

describe('a mail server', () => {
  const received: string[] = [];
  let refuse = 1;
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onRcptTo({ address }, _session, done) {
      done(address.startsWith('gone') ? Object.assign(new Error('no mailbox'), { responseCode: 550 }) : null);
    },
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
  const clock = new TestClock();
  let latchkey: TestLatchkey;
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'latchkey-dkim-'));
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    await writeFile(join(folder, 'dkim.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const address = server.server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    latchkey = await startTestLatchkey({
      clock,
      settings: {
        LATCHKEY_SMTP_URL: `smtp://127.0.0.1:${port}`,
        LATCHKEY_MAIL_FROM: 'Shop <shop@example.com>',
        LATCHKEY_MAIL_DKIM: `example.com:mail:${join(folder, 'dkim.pem')}`,
      },
    });
  });
  after(async () => {
    await rm(folder, { recursive: true });
    await new Promise<void>((resolve) => {
      server.close(resolve);
    });
  });

  const state = async (to: string) => {
    const token = await managementToken(latchkey);
    const { body } = await latchkey.api('/v1/admin/messages', { token });
    return body.items.find((item: { to: string }) => item.to === to);
  };

  test('gets the signed mail again after refusing the first attempt; the state is visible throughout', async () => {
    await mail(latchkey, 'ada@example.com', { locale: 'de-AT' });
    await eventually(async () => assert.match((await state('ada@example.com')).error ?? '', /come back later/));
    await runAgain(latchkey);
    await eventually(async () => assert.equal(received.length, 1));
    const parsed = await PostalMime.parse(received[0] ?? '');
    assert.deepEqual(
      [parsed.from?.address, parsed.from?.name, parsed.to?.[0]?.address, parsed.subject],
      ['shop@example.com', 'Shop', 'ada@example.com', '12345678 ist dein Code für Shop'],
    );
    assert.match(parsed.messageId ?? '', /^<msg_[0-9a-z]+@latchkey>$/);
    assert.match(parsed.text ?? '', /\n {4}12345678\n/);
    assert.match(parsed.html ?? '', /12345678/);
    const signature = parsed.headers.find(({ key }) => key === 'dkim-signature')?.value ?? '';
    assert.match(signature, /a=rsa-sha256;.*d=example\.com;.*s=mail/s);
    await eventually(async () => {
      const { status, provider, template, attempts, error } = await state('ada@example.com');
      assert.deepEqual(
        { status, provider, template, attempts, error },
        { status: 'sent', provider: 'smtp', template: 'sign_in_code', attempts: 2, error: null },
      );
    });
  });

  test('an expired code is not sent', async () => {
    refuse = 1;
    await mail(latchkey, 'late@example.com', { expiresAt: new Date(clock.now().getTime() + 1_000) });
    await eventually(async () => assert.match((await state('late@example.com')).error ?? '', /come back later/));
    clock.advance(2_000);
    await runAgain(latchkey);
    await eventually(async () => assert.equal((await state('late@example.com')).status, 'expired'));
    assert.equal(received.length, 1);
  });

  test('mails are counted by their final result, not by attempts', async () => {
    await mail(latchkey, 'gone@example.com');
    const token = await managementToken(latchkey);
    await eventually(async () => {
      const { series } = (await latchkey.api('/v1/admin/insight?days=1', { token })).body;
      const mails = series.filter(({ figure }: { figure: string }) => figure === 'mails');
      assert.deepEqual(
        mails.map(({ key, counts }: { key: string; counts: number[] }) => [key, counts]),
        [
          ['failed', [1]],
          ['sent', [1]],
        ],
      );
    });
  });

  test('its connections close when the process stops', async () => {
    assert.notEqual(server.connections.size, 0);
    await latchkey.stop();
    await eventually(async () => assert.equal(server.connections.size, 0));
  });
});

describe('the templates of a project', () => {
  let latchkey: TestLatchkey;
  let token: string;
  before(async () => {
    latchkey = await startTestLatchkey();
    token = await managementToken(latchkey);
  });
  after(() => latchkey.stop());
  const path = '/v1/admin/settings/messages/sign_in_code/fr';
  const own = { subject: 'Votre code', body: 'Bonjour de {project}\n\n{code}', action: '' };

  test('a custom text takes effect immediately, in its language, and can be withdrawn', async () => {
    const put = await latchkey.api(path, { method: 'PUT', token, body: own });
    assert.equal(put.status, 200, put.text);
    assert.equal(put.body.custom, true);
    await mail(latchkey, 'fr@example.com', { locale: 'fr' });
    await mail(latchkey, 'en@example.com', { locale: 'en' });
    const inbox = async (to: string) => (await latchkey.console(`/dev/inbox?to=${to}`)).body.items[0];
    assert.equal((await inbox('fr@example.com')).text, 'Bonjour de Shop\n\n    12345678\n');
    assert.equal((await inbox('en@example.com')).subject, '12345678 is your Shop code');
    const { body: list } = await latchkey.api('/v1/admin/settings/messages?locale=fr&limit=100', { token });
    assert.equal(list.items.length, templateIds.length);
    assert.deepEqual(
      list.items.filter((item: { custom: boolean }) => item.custom).map((item: { template: string }) => item.template),
      ['sign_in_code'],
    );
    assert.equal((await latchkey.api(path, { method: 'DELETE', token })).status, 204);
    await mail(latchkey, 'fr2@example.com', { locale: 'fr' });
    assert.match((await inbox('fr2@example.com')).subject, /est votre code Shop/);
  });

  test('the second of two editors of a text gets a conflict, also for a built-in text; an unknown name is refused', async () => {
    const read = await latchkey.api(path, { token });
    assert.deepEqual([read.status, read.body.custom, read.body.locale], [200, false, 'fr']);
    const builtIn = read.headers.get('etag') ?? '';
    const change = (method: string, etag: string, body?: unknown) =>
      latchkey.api(path, { method, token, body, headers: { 'if-match': etag } });
    const first = await change('PUT', builtIn, own);
    assert.equal(first.status, 200, first.text);
    expectProblem(await change('PUT', builtIn, { ...own, subject: 'Autre' }), 412, 'PRECONDITION_FAILED');
    expectProblem(await change('DELETE', builtIn), 412, 'PRECONDITION_FAILED');
    const { body, headers } = await latchkey.api(path, { token });
    assert.deepEqual([body.subject, headers.get('etag')], [own.subject, first.headers.get('etag')]);
    assert.equal((await change('DELETE', headers.get('etag') ?? '')).status, 204);
    assert.equal((await latchkey.api(path, { token })).headers.get('etag'), builtIn);
    const unknown = await latchkey.api('/v1/admin/settings/messages/none/fr', { token });
    expectProblem(unknown, 400, 'VALIDATION_FAILED');
  });

  test('a preview uses sample values; an invalid text is refused with its fault', async () => {
    const preview = await latchkey.api(`${path}/preview`, { token, body: { subject: 'Code de {project}' } });
    assert.equal(preview.body.subject, 'Code de Shop');
    assert.match(preview.body.text, /12345678/);
    const unknown = await latchkey.api(path, { method: 'PUT', token, body: { ...own, body: '{nobody} {code}' } });
    assert.equal(unknown.status, 400);
    assert.match(unknown.body.errors[0].message, /Known variables: \{project\}, \{code\}, \{minutes\}/);
    const missing = await latchkey.api(path, { method: 'PUT', token, body: { ...own, body: 'no code' } });
    assert.match(missing.body.errors[0].message, /must contain \{code\}/);
  });
});
