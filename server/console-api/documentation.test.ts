import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import { Registry } from 'prom-client';
import { type App, createHost } from '#platform/http.ts';
import { mount } from '#platform/http-mount.ts';
import { startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { documentationRoutes } from './documentation.page.ts';

let latchkey: TestLatchkey;
let folder: string;
let app: App;
before(async () => {
  latchkey = await startTestLatchkey();
  folder = await mkdtemp(join(tmpdir(), 'latchkey-docs-'));
  app = await createHost({ ...latchkey.system, metrics: new Registry() }, { kind: 'console', environment: null });
  mount(app, documentationRoutes(folder));
});
after(async () => {
  await app.close();
  await rm(folder, { recursive: true, force: true });
  await latchkey.stop();
});

function get(url: string, headers: Record<string, string> = {}) {
  const { host } = new URL(latchkey.system.config.addresses.console);
  return app.inject({ url, headers: { host, 'accept-encoding': 'identity', ...headers } });
}

function write(path: string, text: string) {
  return writeFile(join(folder, `${path}.br`), brotliCompressSync(text));
}

describe('the documentation', () => {
  test('before it is built, a page says how', async () => {
    const response = await get('/docs/');
    assert.equal(response.statusCode, 503);
    assert.match(response.body, /npm run build -w site/);
  });

  test('its pages have addresses without endings, and allow no inline scripts', async () => {
    await mkdir(join(folder, 'assets'));
    await mkdir(join(folder, 'guides'));
    await write('index.html', 'start');
    await write('concepts.html', 'concepts');
    await write('guides/index.html', 'guides');
    await write('404.html', 'gone');
    await write('assets/app.1a2b.js', 'script');
    await writeFile(join(folder, 'assets/picture.1a2b.png'), 'picture');
    for (const [url, body] of [
      ['/docs/', 'start'],
      ['/docs/concepts', 'concepts'],
      ['/docs/concepts.html', 'concepts'],
      ['/docs/guides', 'guides'],
      ['/docs/guides/', 'guides'],
    ] as const) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const response = await get(url);
      assert.deepEqual([response.statusCode, response.body], [200, body], url);
      assert.match(String(response.headers['content-type']), /^text\/html/);
      const policy = String(response.headers['content-security-policy']);
      assert.match(policy, /script-src 'self'; style-src 'self' 'sha256-[^']+';/);
      assert.match(policy, /frame-ancestors 'none'/);
    }
    assert.equal((await get('/docs')).headers['location'], '/docs/');
  });

  test('it is sent compressed to those who take it so, and not again to those who have it', async () => {
    const compressed = await get('/docs/concepts', { 'accept-encoding': 'gzip, br' });
    assert.deepEqual([compressed.headers['content-encoding'], compressed.headers['vary']], ['br', 'accept-encoding']);
    assert.equal(brotliDecompressSync(compressed.rawPayload).toString(), 'concepts');
    assert.equal((await get('/docs/concepts', { 'accept-encoding': 'br;q=0' })).body, 'concepts');
    const { etag, 'cache-control': caching } = compressed.headers;
    assert.equal(caching, 'public, no-cache');
    const again = await get('/docs/concepts', { 'accept-encoding': 'gzip, br', 'if-none-match': String(etag) });
    assert.deepEqual([again.statusCode, again.body], [304, '']);
    assert.notEqual((await get('/docs/concepts')).headers['etag'], etag);
  });

  test('its assets are cached for a year', async () => {
    const script = await get('/docs/assets/app.1a2b.js');
    assert.deepEqual([script.body, script.headers['cache-control']], ['script', 'public, max-age=31536000, immutable']);
    assert.match(String(script.headers['content-type']), /javascript/);
    const picture = await get('/docs/assets/picture.1a2b.png', { 'accept-encoding': 'br' });
    assert.deepEqual([picture.body, picture.headers['content-type']], ['picture', 'image/png']);
    assert.equal(picture.headers['content-encoding'], undefined);
  });

  test('an unknown address gets its own page, and nothing outside its folder is served', async () => {
    const unknown = await get('/docs/nothing');
    assert.deepEqual([unknown.statusCode, unknown.body], [404, 'gone']);
    for (const url of ['/docs/..%2f..%2fpackage.json', '/docs/assets/..%2f..%2f..%2fetc%2fpasswd']) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      assert.equal((await get(url)).statusCode, 404, url);
    }
  });
});
