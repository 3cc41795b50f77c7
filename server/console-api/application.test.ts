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
import { applicationRoutes } from './application.page.ts';

let latchkey: TestLatchkey;
let folder: string;
let app: App;
before(async () => {
  latchkey = await startTestLatchkey();
  folder = await mkdtemp(join(tmpdir(), 'latchkey-console-'));
  app = await createHost({ ...latchkey.system, metrics: new Registry() }, { kind: 'console', environment: null });
  mount(app, applicationRoutes(folder));
});
after(async () => {
  await app.close();
  await rm(folder, { recursive: true, force: true });
  await latchkey.stop();
});

function get(url: string, accepts = 'identity') {
  const { host } = new URL(latchkey.system.config.addresses.console);
  return app.inject({ url, headers: { host, 'accept-encoding': accepts } });
}

describe('the built application', () => {
  test('before it is built, a page says how', async () => {
    const response = await get('/console/');
    assert.equal(response.statusCode, 503);
    assert.match(response.body, /npm run build -w console/);
  });

  test('every address of the application gets its page, with a new nonce and no scripts but files', async () => {
    await mkdir(join(folder, 'assets'));
    await writeFile(join(folder, 'index.html'), '<meta name="csp-nonce" content="__CSP_NONCE__">');
    await writeFile(join(folder, 'assets/main-1a2b.js.br'), brotliCompressSync('script'));
    await writeFile(join(folder, 'icon.svg'), '<svg/>');
    const nonces = new Set<string>();
    for (const url of ['/console/', '/console/members?q=ada', '/console/webhooks/types/user.created']) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const { statusCode, headers, body } = await get(url);
      assert.equal(statusCode, 200);
      const policy = String(headers['content-security-policy']);
      const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? '';
      assert.ok(body.includes(`content="${nonce}"`), body);
      assert.match(policy, /script-src 'self';/);
      assert.match(policy, /frame-ancestors 'none'/);
      assert.ok(!/script-src[^;]*unsafe|style-src [^;]*unsafe/.test(policy), policy);
      assert.equal(headers['cache-control'], 'no-store');
      nonces.add(nonce);
    }
    assert.equal(nonces.size, 3);
    assert.equal((await get('/console')).headers['location'], '/console/');
  });

  test('its assets are cached for a year and compressed; other files are revalidated', async () => {
    const asset = await get('/console/assets/main-1a2b.js');
    assert.deepEqual(
      [asset.statusCode, asset.headers['cache-control'], asset.body],
      [200, 'public, max-age=31536000, immutable', 'script'],
    );
    assert.match(String(asset.headers['content-type']), /javascript/);
    const small = await get('/console/assets/main-1a2b.js', 'br');
    assert.equal(small.headers['content-encoding'], 'br');
    assert.equal(brotliDecompressSync(small.rawPayload).toString(), 'script');
    assert.equal(small.headers['vary'], 'accept-encoding');
    assert.equal((await get('/console/icon.svg')).headers['cache-control'], 'public, no-cache');
  });

  test('an unknown file is 404, and nothing outside its folder is served', async () => {
    for (const url of ['/console/assets/gone.js', '/console/v1/nothing', '/console/assets/..%2f..%2fpackage.json']) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      assert.equal((await get(url)).statusCode, 404, url);
    }
    assert.ok(!(await get('/console/..%2f..%2fetc/passwd')).body.includes('root:'));
  });
});
