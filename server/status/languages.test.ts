// biome-ignore-all lint/performance/noAwaitInLoops: requests one after the other

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { segmentsOf } from '#billing';
import { languages } from '#settings';
import {
  eventually,
  expectProblem,
  lastMessage,
  managementToken,
  newEmail,
  startTestLatchkey,
  type TestLatchkey,
} from '#tests/harness.ts';
import { createTenant, tenantManagementToken } from '#tests/tenants.ts';
import { seedComponents } from './components.ts';
import { installationPage } from './pages.ts';
import { fitting, noticeText } from './texts.ts';

let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey();
  await seedComponents(latchkey.system);
});
after(() => latchkey.stop());

const change = (token: string, body: unknown) =>
  latchkey.api('/v1/admin/status/settings', { token, method: 'PATCH', body });

async function page(name: string): Promise<{ token: string; base: string }> {
  const token = await tenantManagementToken(latchkey, await createTenant(latchkey, name));
  const { body } = await latchkey.api('/v1/admin/status/page', { token, method: 'PUT', body: { published: true } });
  return { token, base: new URL(body.url).pathname };
}

const languageOf = async (path: string, accepted: string): Promise<string | undefined> => {
  const { text } = await latchkey.console(path, { headers: { 'accept-language': accepted } });
  return /<html lang="(\w+)"/.exec(text)?.[1];
};

describe('the languages of a status page', () => {
  test('are all at first, and those it names afterwards, on every page and in every language that is asked for', async () => {
    const { token, base } = await page('polyglot');
    const before = await latchkey.api('/v1/admin/status/settings', { token });
    assert.deepEqual([before.body.locales.length, before.body.defaultLanguage], [7, 'en']);
    assert.equal(await languageOf(base, 'ja'), 'ja');
    const changed = await change(token, { locales: ['de', 'ar'], defaultLanguage: 'ar' });
    assert.deepEqual([changed.body.locales, changed.body.defaultLanguage], [['de', 'ar'], 'ar']);
    for (const path of ['', '/incidents', '/calendar', '/subscribe', '/manage', '/embed']) {
      assert.equal(await languageOf(base + path, 'ja'), 'ar', path);
      assert.equal(await languageOf(base + path, 'ja, de;q=0.5'), 'de', path);
      assert.equal(await languageOf(`${base}${path}?lang=de`, 'ar'), 'de', path);
      assert.equal(await languageOf(`${base}${path}?lang=fr`, 'de'), 'ar', path);
    }
    const { text } = await latchkey.console(base);
    const offered = [...text.matchAll(/hreflang="(\w+)"/g)].map(([, language]) => language);
    assert.deepEqual(offered, ['de', 'ar']);
    const feed = await latchkey.console(`${base}/api/status/history.json`);
    assert.equal(feed.body.language, 'ar');
    const { body } = await latchkey.console(`${base}/api/status/summary`);
    assert.match(body.summary, /[\u0600-\u06ff]/);
    const single = await change(token, { locales: ['de'], defaultLanguage: 'de' });
    assert.equal(single.status, 200, single.text);
    assert.doesNotMatch((await latchkey.console(base)).text, /hreflang/);
  });

  test('have the default language among them, also when both are changed at once', async () => {
    const { token } = await page('picky');
    expectProblem(await change(token, { defaultLanguage: 'xx' }), 400, 'VALIDATION_FAILED');
    expectProblem(await change(token, { locales: [] }), 400, 'VALIDATION_FAILED');
    expectProblem(await change(token, { locales: ['de', 'de'], defaultLanguage: 'de' }), 400, 'VALIDATION_FAILED');
    expectProblem(await change(token, { locales: ['de', 'fr'] }), 400, 'VALIDATION_FAILED');
    await change(token, { locales: ['de', 'fr', 'en'] });
    const responses = await Promise.all([
      change(token, { defaultLanguage: 'fr' }),
      change(token, { locales: ['de', 'en'] }),
    ]);
    assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 400]);
    const { body } = await latchkey.api('/v1/admin/status/settings', { token });
    assert.ok(body.locales.includes(body.defaultLanguage));
  });

  test('are those of messages to subscribers, whatever they preferred before', async () => {
    const { token, base } = await page('writer');
    const email = newEmail();
    const body = { channel: 'email', email };
    await latchkey.console(`${base}/api/status/subscribe`, { body, headers: { 'accept-language': 'fr' } });
    const asked = await eventually(() => lastMessage(latchkey, email));
    assert.match(asked.text, /confirm/i);
    const link = /token=([\w.-]+)/.exec(asked.text)?.[1] ?? '';
    await latchkey.console(`/status/confirm?token=${link}`, { body: new URLSearchParams() });
    await change(token, { locales: ['de'], defaultLanguage: 'de' });
    const incident = { title: 'Störung', severity: 'minor', body: 'Wir prüfen.' };
    await latchkey.api('/v1/admin/status/incidents', { token, body: incident });
    await eventually(async () => {
      const { text, subject } = await lastMessage(latchkey, email);
      assert.match(subject, /Störung/);
      assert.match(text, /abbestellen|Abmelden|abmelden/i);
    });
    const preview = await latchkey.api('/v1/admin/status/preview', {
      token,
      body: { kind: 'incident', title: 'Störung', body: 'x', phase: 'identified' },
    });
    const [mail] = preview.body.messages;
    assert.match(mail.text, /abbestellen|abmelden/i);
  });

  test('of one page are not those of another, and the page of the installation has its own', async () => {
    const one = await page('one-language');
    const other = await page('all-languages');
    await change(one.token, { locales: ['es'], defaultLanguage: 'es' });
    assert.deepEqual([await languageOf(one.base, 'fr'), await languageOf(other.base, 'fr')], ['es', 'fr']);
    const keeper = await managementToken(latchkey);
    await change(keeper, { locales: ['zh'], defaultLanguage: 'zh' });
    await eventually(async () => assert.equal(await languageOf('/status?environment=test', 'fr'), 'zh'));
    assert.equal(await languageOf('/status', 'fr'), 'fr');
    await change(keeper, { locales: ['en', 'de', 'fr', 'es', 'ja', 'zh', 'ar'], defaultLanguage: 'en' });
  });

  test('a text message has one segment in every language, with a title of any length', async () => {
    const own = { page: installationPage('production') };
    const titles: Record<string, string> = { ja: '決済が遅延しています'.repeat(9), zh: '支付延迟'.repeat(40) };
    await latchkey.inProject(
      async (tx) => {
        const shorten = fitting({ ...tx, ...own });
        for (const language of languages)
          for (const title of ['Slow', titles[language] ?? '“Störung” – façade, 1 € '.repeat(8)]) {
            const short = await shorten({ title, phase: language === 'ja' ? '調査中' : 'En cours' }, language);
            const text = await noticeText({ ...tx, ...own }, short, language);
            assert.equal(segmentsOf(text).segments, 1, `${language}: ${text}`);
          }
      },
      { environment: 'production' },
    );
  });
});
