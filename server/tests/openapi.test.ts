import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { startTestLatchkey, type TestLatchkey, type TestResponse } from '#tests/harness.ts';
import { printed, sorted } from '#tests/openapi.ts';

const FOLDER = resolve(import.meta.dirname, '../../docs/openapi');

/** The description that each host serves, and its default address. */
const HOSTS: readonly { name: string; address: string; read: (latchkey: TestLatchkey) => Promise<TestResponse> }[] = [
  { name: 'auth', address: 'http://localhost:4001', read: (latchkey) => latchkey.auth('/openapi.json') },
  { name: 'api', address: 'http://localhost:4002', read: (latchkey) => latchkey.api('/openapi.json') },
  {
    name: 'console',
    address: 'http://localhost:4000',
    read: (latchkey) => latchkey.console('/console/v1/openapi.json'),
  },
  {
    name: 'status',
    address: 'http://localhost:4000',
    read: (latchkey) => latchkey.console('/api/status/openapi.json'),
  },
];

describe('the committed OpenAPI descriptions', () => {
  let latchkey: TestLatchkey;
  before(async () => {
    latchkey = await startTestLatchkey();
  });
  after(() => latchkey.stop());

  for (const { name, address, read } of HOSTS)
    test(`docs/openapi/${name}.json is what Latchkey serves; UPDATE_OPENAPI=1 writes it`, async () => {
      const { body } = await read(latchkey);
      const [{ description }] = body.servers;
      const served = `${printed(sorted({ ...body, servers: [{ url: address, description }] }))}\n`;
      const file = resolve(FOLDER, `${name}.json`);
      if (process.env['UPDATE_OPENAPI']) await writeFile(file, served);
      assert.ok(
        served === (await readFile(file, 'utf8')),
        'run: UPDATE_OPENAPI=1 npx node server/tests/run.ts server/tests/openapi.test.ts',
      );
    });
});
