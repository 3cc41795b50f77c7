import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { outbound } from './fetch.ts';

/** 200 megabytes, compressed. */
const bomb = gzipSync(Buffer.alloc(200_000_000));

describe('calling an address from a third party', () => {
  let latchkey: TestLatchkey;
  const server = createServer((request, response) => {
    if (request.url === '/redirect') response.writeHead(302, { location: 'http://169.254.169.254/' }).end();
    else if (request.url === '/huge') response.end(Buffer.alloc(2_000_000));
    else if (request.url === '/bomb') response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
    else if (request.url === '/packed') response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('hello'));
    else response.end('hello');
  });
  let origin: string;
  before(async () => {
    latchkey = await startTestLatchkey();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const address = server.address();
    assert.ok(address !== null && typeof address === 'object');
    origin = `http://127.0.0.1:${address.port}`;
  });
  after(async () => {
    await latchkey.stop();
    server.closeAllConnections();
    server.close();
  });
  const call = (url: string) => outbound(latchkey.system, url);
  const production = (url: string) =>
    outbound({ ...latchkey.system, config: { ...latchkey.system.config, mode: 'production' } }, url);

  test('this machine can be called in development mode only', async () => {
    assert.equal(await (await call(origin)).text(), 'hello');
    await assert.rejects(production(origin), /https/);
    await assert.rejects(production('https://127.0.0.1/'), { name: 'RefusedAddress' });
    await assert.rejects(
      production('https://localhost/'),
      ({ cause }: Error) => Object(cause).name === 'RefusedAddress',
    );
  });

  for (const host of [
    '10.0.0.1',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '[::ffff:10.0.0.1]',
    '[fe80::1]',
    '[fd00::1]',
    '[::]',
    '[2002:a00:1::]',
    '[::127.0.0.1]',
    '[::10.0.0.1]',
    '[::8.8.8.8]',
    '[64:ff9b::7f00:1]',
    '[64:ff9b::8.8.8.8]',
    '[64:ff9b:1::7f00:1]',
    '[2001:0:4136:e378:8000:63bf:3fff:fdd2]',
    '[2002:808:808::1]',
    '[::ffff:0:127.0.0.1]',
    '[2606:4700::5efe:10.0.0.1]',
    '[2606:4700::200:5efe:8.8.8.8]',
    '[fec0::1]',
    '[100::1]',
    '[4000::1]',
  ]) {
    test(`${host} is refused before anything is sent`, async () => {
      await assert.rejects(call(`http://${host}/`), { name: 'RefusedAddress' });
      await assert.rejects(production(`https://${host}/`), { name: 'RefusedAddress' });
    });
  }

  test('a redirect is returned, not followed', async () => {
    const response = await call(`${origin}/redirect`);
    assert.equal(response.status, 302);
  });

  test('a response over one megabyte is an error', async () => {
    await assert.rejects(call(`${origin}/huge`));
  });

  test('the limit counts the decompressed size', async () => {
    assert.ok(bomb.byteLength < 1_000_000);
    await assert.rejects(call(`${origin}/bomb`), /larger than a megabyte/);
    assert.equal(await (await call(`${origin}/packed`)).text(), 'hello');
  });

  test('an allowed private range can be called', async () => {
    const { config } = latchkey.system;
    const allowed = { ...latchkey.system, config: { ...config, webhookAllowPrivate: ['127.0.0.0/8'] } };
    assert.equal((await outbound(allowed, origin)).status, 200);
  });
});
