import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { deflateRawSync } from 'node:zlib';
import { accountPages } from '#account';
import { hostedPages } from '#hosted';
import { expectProblem, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { type Operator, signInOperator, teammate } from '#tests/operators.ts';

let latchkey: TestLatchkey;
let operator: Operator;
before(async () => {
  latchkey = await startTestLatchkey();
  operator = await signInOperator(latchkey);
});
after(() => latchkey.stop());

const packed = (draft: unknown) => deflateRawSync(JSON.stringify(draft)).toString('base64url');

type Look = { query?: Record<string, string>; who?: Operator; path?: string };

function preview({ query = {}, who = operator, path = 'branding/preview' }: Look = {}) {
  const { workspaceId, projects } = latchkey.demo;
  const scope = { workspaceId, projectId: projects[0]?.id ?? '', environment: 'test' };
  return who.call(`/console/v1/${path}?${new URLSearchParams({ ...scope, ...query })}`, {
    headers: { 'x-workspace-id': undefined, 'x-project-id': undefined, 'x-environment': undefined },
  });
}

const DRAFT = packed({
  branding: {
    accentColor: '#a02060',
    text: 'Below the form',
    radius: 3,
    css: '.title { text-transform: uppercase } .card { position: fixed }',
  },
});

describe('previews of the branding', () => {
  test('are the real pages with what is not saved yet, in a frame of the console', async () => {
    const pages = [...hostedPages, ...accountPages];
    assert.ok(pages.length >= 32, pages.join());
    const titles = new Set<string>();
    for (const page of pages) {
      // biome-ignore lint/performance/noAwaitInLoops: one page after the other
      const { status, text, headers } = await preview({ query: { page, draft: DRAFT, theme: 'dark', locale: 'ar' } });
      assert.equal(status, 200, `${page}: ${text}`);
      assert.match(text, /<html lang="ar" dir="rtl">/, page);
      assert.match(text, /:root\{color-scheme:dark;/, page);
      assert.match(text, /--accent:#a02060.*--radius:3px/, page);
      assert.match(text, /Below the form/, page);
      assert.match(text, /@layer custom\{[^<]*h1\{text-transform:uppercase\}/, page);
      assert.doesNotMatch(text, /position:fixed/, page);
      assert.match(headers.get('content-security-policy') ?? '', /frame-ancestors 'self'; sandbox$/, page);
      assert.equal(headers.get('x-frame-options'), 'SAMEORIGIN', page);
      assert.equal(headers.get('set-cookie'), null, page);
      titles.add(/<h1 id="title">([^<]*)/.exec(text)?.[1] ?? '');
    }
    assert.ok(titles.size > 20 && !titles.has(''), [...titles].join(', '));
  });

  test('show the choice of a method, the requests of applications and the devices of a person as they are', async () => {
    const shown = async (page: string) => (await preview({ query: { page, locale: 'en' } })).text;
    assert.match(await shown('consent'), /Ada Lovelace · ada@example\.com[\s\S]*application\.example/);
    assert.match(await shown('recovery-codes'), /4kx2-9rvm/);
    assert.match(await shown('account-sessions'), /Chrome.*203\.0\.113\.7/s);
    assert.match(await shown('account-security'), /YubiKey 5/);
    assert.match((await preview({ query: { locale: 'de' } })).text, /<html lang="de"[\s\S]*name="identifier"/);
  });

  test('are every message, with the unsaved colours', async () => {
    const { body } = await operator.call('/console/v1/settings/messages?locale=en&limit=100');
    assert.ok(body.items.length > 20);
    for (const { template } of body.items) {
      // biome-ignore lint/performance/noAwaitInLoops: one message after the other
      const { status, text, headers } = await preview({ query: { message: template, draft: DRAFT, locale: 'ar' } });
      assert.equal(status, 200, `${template}: ${text}`);
      assert.match(text, /lang="ar"/, template);
      assert.match(headers.get('content-security-policy') ?? '', /^default-src 'none'.*sandbox$/, template);
    }
    assert.match((await preview({ query: { message: 'magic_link', draft: DRAFT } })).text, /background:#a02060/);
  });

  test('are those of an organization, where one is named', async () => {
    const { body } = await operator.call('/console/v1/organizations', { body: { name: 'Acme' } });
    const draft = packed({
      organization: { name: 'Acme Works', logoUrl: null, accentColor: null, backgroundColor: null },
    });
    const path = `organizations/${body.id}/branding/preview`;
    assert.match((await preview({ path, query: { draft } })).text, /<span>Acme Works<\/span>/);
    assert.match((await preview({ path, query: { draft, message: 'invitation' } })).text, /Acme Works/);
    expectProblem(await preview({ path: path.replace(body.id, 'org_01kaz3w9hqf8p9n2m4v5x6y7z8') }), 404, 'NOT_FOUND');
  });

  test('are refused for drafts that are none, for other workspaces and without the permission', async () => {
    const drafts = [
      'bm9uZQ',
      packed('none'),
      packed({ branding: { accentColor: 'red' } }),
      packed({ branding: { css: ' '.repeat(10_001) } }),
      packed({ settings: { mfa: 'off' } }),
      packed({ branding: { text: ' '.repeat(10_000_000) } }),
    ];
    // biome-ignore lint/performance/noAwaitInLoops: one after the other
    for (const draft of drafts) expectProblem(await preview({ query: { draft } }), 400, 'VALIDATION_FAILED');
    expectProblem(await preview({ query: { page: 'constructor' } }), 400, 'VALIDATION_FAILED');
    expectProblem(
      await preview({ query: { workspaceId: 'wrk_01kaz3w9hqf8p9n2m4v5x6y7z8' } }),
      403,
      'MEMBERSHIP_REQUIRED',
    );
    expectProblem(await preview({ who: await teammate(latchkey, 'billing') }), 403, 'AUTHORIZATION_DENIED');
  });
});
