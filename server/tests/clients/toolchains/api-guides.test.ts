import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { grantOf, newApi, newApplication, READ, type TestApi, tokensFor } from './apis.ts';
import { eventually, register, startTestLatchkey, type TestLatchkey } from './harness.ts';
import { freePort } from './ports.ts';

const EXAMPLES = resolve(import.meta.dirname, '../../docs/guides/examples');

let latchkey: TestLatchkey;
const running = new Set<ChildProcess>();
before(async () => {
  latchkey = await startTestLatchkey();
});
after(async () => {
  for (const child of running) child.kill('SIGKILL');
  await latchkey.stop();
});

type Command = readonly [program: string, ...rest: string[]];

/** How the API of each language is made, offline and outside the examples, and started. */
const LANGUAGES: Record<string, { make: (folder: string) => Command; start: (folder: string) => Command }> = {
  'Python with PyJWT': {
    make: () => ['python3', '-c', 'import jwt, cryptography'],
    start: () => ['python3', join(EXAMPLES, 'api-python/api.py')],
  },
  'Go with golang-jwt': {
    make: (folder) => ['go', 'build', '-C', join(EXAMPLES, 'api-go'), '-o', join(folder, 'api'), '.'],
    start: (folder) => [join(folder, 'api')],
  },
  'Java with Spring Boot': {
    make: (folder) => ['mvn', '-o', '-q', '-f', join(EXAMPLES, 'api-spring'), `-DbuildDirectory=${folder}`, 'package'],
    start: (folder) => ['java', '-jar', join(folder, 'api.jar')],
  },
};

/** Downloads nothing: a test is skipped if this machine lacks what its language needs. */
const TOOLS = { ...process.env, GOPROXY: 'off', GOFLAGS: '-mod=readonly' };

function isMade([program, ...rest]: Command): boolean {
  return spawnSync(program, rest, { env: TOOLS, stdio: 'ignore', timeout: 120_000 }).status === 0;
}

/** A person with a token that the API accepts, one without its scope, and others that it must refuse. */
async function tokensOf(api: TestApi) {
  const other = await newApi(latchkey);
  const application = await newApplication(latchkey, { apis: [grantOf(api, READ.name), grantOf(other, READ.name)] });
  const person = await register(latchkey);
  const tokenFor = async ({ identifier }: TestApi, scope: string) => {
    const parameters = { resource: identifier, scope };
    return (await tokensFor(latchkey, application, person, { parameters })).tokens;
  };
  const good = await tokenFor(api, `openid ${READ.name}`);
  const bare = await tokenFor(api, 'openid');
  const elsewhere = await tokenFor(other, `openid ${READ.name}`);
  const wrong = [undefined, good.id_token, elsewhere.access_token, person.access_token, 'nonsense'];
  return { person, good: good.access_token, bare: bare.access_token, wrong };
}

describe('an API', () => {
  for (const [name, { make, start }] of Object.entries(LANGUAGES))
    test(`in ${name} accepts its own access tokens, and no other tokens`, async (t) => {
      const folder = await mkdtemp(join(tmpdir(), 'latchkey-guide-'));
      t.after(() => rm(folder, { recursive: true, force: true }));
      if (!isMade(make(folder))) return t.skip(`${name} is not installed here`);
      const api = await newApi(latchkey);
      const { person, good, bare, wrong } = await tokensOf(api);
      const { auth } = latchkey.system.config.addresses.test;
      const [program, ...rest] = start(folder);
      const serve = async (LATCHKEY_PROJECT: string | undefined) => {
        const port = await freePort();
        const addresses = { LATCHKEY_ISSUER: auth, AUDIENCE: api.identifier, PORT: port, SERVER_PORT: port };
        running.add(spawn(program, rest, { env: { ...TOOLS, ...addresses, LATCHKEY_PROJECT }, stdio: 'ignore' }));
        return (token: string | undefined) =>
          fetch(`http://localhost:${port}/`, { headers: token ? { authorization: `Bearer ${token}` } : {} });
      };
      const call = await serve(latchkey.demo.projects[0]?.id);
      const callOther = await serve('prj_other');
      assert.equal((await eventually(() => callOther(good))).status, 401, 'a token of another project');
      const response = await eventually(() => call(good));
      assert.equal(response.status, 200);
      const { you, project } = Object(await response.json());
      assert.deepEqual([you, project], [person.session.userId, latchkey.demo.projects[0]?.id]);
      const refused = await Promise.all([...wrong, bare].map(call));
      assert.deepEqual(
        refused.map(({ status }) => status),
        [401, 401, 401, 401, 401, 403],
      );
    });
});
