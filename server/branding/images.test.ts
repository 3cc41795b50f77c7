import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  eventually,
  expectProblem,
  managementToken,
  startTestLatchkey,
  type TestLatchkey,
  type TestResponse,
} from '#tests/harness.ts';
import { picture } from '#tests/images.ts';
import { browserOf, codeFlow } from '#tests/oidc.ts';
import { createTenant, tenantManagementToken } from '#tests/tenants.ts';
import { readImage } from './image-files.ts';

let latchkey: TestLatchkey;
let token: string;
before(async () => {
  latchkey = await startTestLatchkey();
  token = await managementToken(latchkey);
});
after(() => latchkey.stop());

const png = (background: string, size?: number) => picture(background, size).png().toBuffer();
const BASE = '/v1/admin/branding/images';
const call = (path: string, method: string, content?: Buffer, as = token): Promise<TestResponse> =>
  latchkey.api(path, { method, token: as, ...(content && { body: { content: content.toString('base64') } }) });
const upload = async (use: string, content: Buffer, base = BASE) => {
  const response = await call(`${base}/${use}`, 'PUT', content);
  assert.equal(response.status, 200, response.text);
  return response.body;
};
const signInPage = async (asked: Record<string, string> = {}) =>
  (await browserOf(latchkey).open((await codeFlow(latchkey, { scope: 'openid', ...asked })).url)).text;
const fetched = (url: string, headers: Record<string, string> = {}) => fetch(url, { redirect: 'manual', headers });

/** An icon that holds a PNG. */
function icon(image: Buffer): Buffer {
  const head = Buffer.alloc(22);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(1, 4);
  head.set([16, 16], 6);
  head.writeUInt32LE(image.length, 14);
  head.writeUInt32LE(head.length, 18);
  return Buffer.concat([head, image]);
}

describe('an uploaded image', () => {
  test('is shown on the pages, has an event, and goes when it is removed', async () => {
    const [light, dark, small] = await Promise.all(['#a02060', '#f0a0c0', '#107040'].map((colour) => png(colour)));
    assert.ok(light && dark && small);
    await upload('logo', light);
    await upload('darkLogo', dark);
    const { logo, darkLogo, favicon } = await upload('favicon', icon(small));
    assert.deepEqual([logo.type, logo.width, logo.height, logo.bytes], ['image/png', 16, 16, light.length]);
    assert.equal(favicon.type, 'image/x-icon');
    assert.deepEqual((await call(BASE, 'GET')).body, { logo, darkLogo, favicon });
    await eventually(async () => assert.ok((await signInPage()).includes(favicon.url)));
    const page = await signInPage();
    assert.ok(
      page.includes(`<source srcset="${darkLogo.url}" media="(prefers-color-scheme: dark)"><img src="${logo.url}"`),
    );
    assert.ok(page.includes(`<link rel="icon" href="${favicon.url}">`), page);
    const { brand } = (await latchkey.auth(`/v1/auth/methods?clientId=${latchkey.demo.environments.test.clientId}`))
      .body;
    assert.deepEqual([brand.logoUrl, brand.darkLogoUrl], [logo.url, darkLogo.url]);
    const { items } = (await latchkey.api('/v1/admin/audit-events?action=project.branding.changed', { token })).body;
    assert.equal(items.length, 3);

    expectProblem(await call(`${BASE}/logo`, 'DELETE', undefined, ''), 401, 'AUTHENTICATION_REQUIRED');
    const removed = await Promise.all(['logo', 'darkLogo', 'favicon'].map((use) => call(`${BASE}/${use}`, 'DELETE')));
    assert.deepEqual(new Set(removed.map(({ status }) => status)), new Set([200]));
    expectProblem(await call(`${BASE}/logo`, 'DELETE'), 404, 'NOT_FOUND');
    await eventually(async () => assert.ok(!(await signInPage()).includes('/images/')));
    assert.equal((await fetched(logo.url)).status, 404);
  });

  test('is cached for good under its content; an earlier address leads to the present one', async () => {
    const first = await png('#111111');
    const { url } = (await upload('logo', first)).logo;
    const response = await fetched(url);
    assert.deepEqual(Buffer.from(await response.arrayBuffer()), first);
    const { headers } = response;
    assert.equal(headers.get('content-type'), 'image/png');
    assert.equal(headers.get('cache-control'), 'public, max-age=31536000, immutable');
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    assert.match(headers.get('content-security-policy') ?? '', /^default-src 'none';.* sandbox$/);
    assert.equal((await fetched(url, { 'if-none-match': headers.get('etag') ?? '' })).status, 304);
    const next = (await upload('logo', await png('#222222'))).logo.url;
    assert.notEqual(next, url);
    const old = await fetched(url);
    assert.deepEqual([old.status, old.headers.get('cache-control')], [302, 'no-store']);
    assert.equal(new URL(old.headers.get('location') ?? '', url).href, next);
    assert.equal((await fetched(url.replace('/img_', '/img_0'))).status, 400);
    assert.equal((await fetched(url.replace(/images\/\w{8}/, 'images/aaaaaaaa'))).status, 404);
    const { test: here, production } = latchkey.system.config.addresses;
    assert.equal((await fetched(url.replace(here.auth, production.auth))).status, 404, 'another environment');
  });

  test('of an organization replaces the project’s, with its dark one', async () => {
    const { body: acme } = await latchkey.api('/v1/admin/organizations', {
      token,
      body: { name: 'Acme', slug: 'acme' },
    });
    const projects = await upload('logo', await png('#333333'));
    await upload('darkLogo', await png('#444444'));
    const base = `/v1/admin/organizations/${acme.id}/branding/images`;
    const { logo } = await upload('logo', await png('#555555'), base);
    await eventually(async () => assert.ok((await signInPage({ organization: 'acme' })).includes(logo.url)));
    assert.doesNotMatch(await signInPage({ organization: 'acme' }), /<picture>/, 'no dark logo of the project');
    assert.ok((await signInPage()).includes(projects.logo.url));
    assert.equal((await call(`${base}/logo`, 'DELETE')).status, 200);
    await eventually(async () => assert.ok((await signInPage({ organization: 'acme' })).includes(projects.logo.url)));
    await upload('logo', await png('#666666'), base);
    assert.equal((await latchkey.api(`/v1/admin/organizations/${acme.id}`, { token, method: 'DELETE' })).status, 204);
    assert.equal((await fetched(logo.url)).status, 404, 'removed with its organization');
  });

  test('cannot be read or changed by another workspace', async () => {
    const other = await createTenant(latchkey, 'elsewhere');
    const foreign = await tenantManagementToken(latchkey, other);
    const { logo } = await upload('logo', await png('#777777'));
    assert.deepEqual((await call(BASE, 'GET', undefined, foreign)).body.logo, null);
    expectProblem(await call(`${BASE}/logo`, 'DELETE', undefined, foreign), 404, 'NOT_FOUND');
    await call(`${BASE}/logo`, 'PUT', await png('#888888'), foreign);
    assert.equal((await call(BASE, 'GET')).body.logo.url, logo.url);
    const { body: acme } = await latchkey.api('/v1/admin/organizations', {
      token,
      body: { name: 'Ours', slug: 'ours' },
    });
    const base = `/v1/admin/organizations/${acme.id}/branding/images/logo`;
    expectProblem(await call(base, 'PUT', await png('#999999'), foreign), 404, 'NOT_FOUND');
  });

  test('two uploads at once leave one image', async () => {
    const contents = await Promise.all(['#010101', '#020202', '#030303', '#040404'].map((colour) => png(colour)));
    await Promise.all(contents.map((content) => upload('favicon', content)));
    const { rows } = await latchkey.system.pool.query(
      `select count(*)::int as count from branding_images where workspace_id = $1 and environment = 'test' and project_id = $2 and use = 'favicon'`,
      [latchkey.demo.workspaceId, latchkey.demo.projects[0]?.id],
    );
    assert.equal(rows[0].count, 1);
  });
});

describe('a file', () => {
  test('has the type that its content says', async () => {
    const image = await png('#a02060');
    const kinds = await Promise.all([
      picture('#a02060').jpeg({ progressive: true }).toBuffer(),
      picture('#a02060').webp().toBuffer(),
    ]);
    const types = [image, ...kinds, icon(image)].map((content) => readImage(content.toString('base64')).type);
    assert.deepEqual(types, ['image/png', 'image/jpeg', 'image/webp', 'image/x-icon']);
  });

  test('is refused if it is none of these, too large, cut short, or two things at once', async () => {
    const image = await png('#a02060');
    const [jpeg, webp] = await Promise.all([
      picture('#a02060').jpeg().toBuffer(),
      picture('#a02060').webp().toBuffer(),
    ]);
    const script = Buffer.from('<script>alert(1)</script>');
    const svg = Buffer.from('\u{feff} <svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>');
    const refused: [what: string, content: Buffer, why: RegExp][] = [
      ['SVG', svg, /SVG is not accepted/],
      ['HTML', script, /SVG is not accepted/],
      ['GIF', await picture('#a02060').gif().toBuffer(), /no PNG, JPEG, WebP or ICO/],
      ['text', Buffer.from('hello'), /no PNG, JPEG, WebP or ICO/],
      ...[image, jpeg, webp, icon(image)].flatMap((content): [string, Buffer, RegExp][] => [
        ['a polyglot', Buffer.concat([content, script]), /something follows/],
        ['cut short', content.subarray(0, content.length - 4), /cut short|no PNG/],
      ]),
      ['small', await png('#a02060', 8), /16 to 2048 pixels/],
      ['wide', await png('#a02060', 2_100), /16 to 2048 pixels/],
      ['large', Buffer.concat([image, Buffer.alloc(262_144)]), /256 KiB/],
    ];
    for (const [what, content, why] of refused) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const response = await call(`${BASE}/logo`, 'PUT', content);
      expectProblem(response, 400, 'VALIDATION_FAILED');
      assert.match(response.body.errors[0].message, why, what);
    }
    expectProblem(await call(`${BASE}/logo`, 'PUT', Buffer.alloc(10_485_760)), 413, 'PAYLOAD_TOO_LARGE');
    expectProblem(await call(`${BASE}/banner`, 'PUT', image), 400, 'VALIDATION_FAILED');
  });
});
