import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { cp, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import {
  admin,
  boundToken,
  grantOf,
  machineToken,
  newApi,
  newApplication,
  READ,
  type TestApi,
  type TestApplication,
  tokensFor,
} from '#tests/apis.ts';
import { eventually, register, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { freePort } from '#tests/ports.ts';
import { CACHE, missingFor, type Step } from './fetched.ts';

const GUIDES = resolve(import.meta.dirname, '../../../../docs/guides');
const EXAMPLES = join(GUIDES, 'examples');
const made = (language: string) => join(CACHE, `api-guide-${language}`);

let latchkey: TestLatchkey;
let api: TestApi;
let machine: TestApplication;
const running = new Set<ChildProcess>();
before(async () => {
  latchkey = await startTestLatchkey();
  const page = await readFile(join(GUIDES, 'api.md'), 'utf8');
  const json = (name: string) => JSON.parse(page.split(`\`\`\`json ${name}\n`)[1]?.split('```')[0] ?? '');
  api = await admin(latchkey, 'apis', { body: json('api') });
  machine = await admin(latchkey, 'applications', { body: json('application') });
});
after(async () => {
  for (const child of running) child.kill('SIGKILL');
  await latchkey.stop();
});

type Command = readonly [program: string, ...rest: string[]];

const maven = ['mvn', '-q', '-B', `-Dmaven.repo.local=${join(CACHE, 'maven')}`, '-f', made('spring')];

/** How the API of each language is made and started. */
const LANGUAGES: Record<string, { steps: Step[]; start: Command }> = {
  'Python with PyJWT': {
    steps: [
      { missing: 'Python has no venv', command: ['python3', '-m', 'venv', made('python')] },
      {
        missing: 'pip cannot install PyJWT',
        command: [
          join(made('python'), 'bin/pip'),
          ...['install', '--quiet', '-r', join(EXAMPLES, 'api-python/requirements.txt')],
        ],
      },
    ],
    start: [join(made('python'), 'bin/python'), join(EXAMPLES, 'api-python/api.py')],
  },
  'Go with golang-jwt': {
    steps: [
      { missing: 'Go is not installed', command: ['go', 'version'] },
      {
        missing: 'Go cannot fetch golang-jwt',
        command: ['go', 'build', '-C', join(EXAMPLES, 'api-go'), '-o', made('go'), '.'],
      },
    ],
    start: [made('go')],
  },
  'Java with Spring Boot': {
    steps: [
      { missing: 'a JDK 17 or newer is not installed', command: ['javac', '--release', '17', '--version'] },
      { missing: 'Maven is not installed', command: ['mvn', '--version'] },
      { missing: 'Maven cannot fetch Spring Boot', command: [...maven, 'package'] },
    ],
    start: ['java', '-jar', join(made('spring'), 'target/api-1.jar')],
  },
};
await cp(join(EXAMPLES, 'api-spring'), made('spring'), { recursive: true });

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
  const bound = await boundToken(latchkey, machine, { resource: api.identifier, scope: READ.name });
  const wrong = [undefined, good.id_token, elsewhere.access_token, person.access_token, bound, 'nonsense'];
  return { person, good: good.access_token, bare: bare.access_token, wrong };
}

describe('an API', () => {
  for (const [name, { steps, start }] of Object.entries(LANGUAGES))
    test(`in ${name} accepts its own access tokens, and no other tokens`, async (t) => {
      const missing = await missingFor(steps);
      if (missing) return t.skip(missing);
      const { person, good, bare, wrong } = await tokensOf(api);
      const { auth } = latchkey.system.config.addresses.test;
      const [program, ...rest] = start;
      const serve = async (LATCHKEY_PROJECT: string | undefined) => {
        const port = await freePort();
        const settings = { LATCHKEY_ISSUER: auth, PORT: port, SERVER_PORT: port, LATCHKEY_PROJECT };
        running.add(spawn(program, rest, { env: { ...process.env, ...settings }, stdio: 'ignore' }));
        return (token: string | undefined) =>
          fetch(`http://localhost:${port}/`, { headers: token ? { authorization: `Bearer ${token}` } : {} });
      };
      const projectId = latchkey.demo.projects[0]?.id;
      const call = await serve(projectId);
      const callOther = await serve('prj_other');
      assert.equal((await eventually(() => callOther(good))).status, 401, 'a token of another project');
      const { body } = await machineToken(latchkey, machine, { resource: api.identifier, scope: READ.name });
      const responses = await eventually(() => Promise.all([good, body.access_token].map(call)));
      assert.deepEqual(await Promise.all(responses.map((response) => response.json())), [
        { you: person.session.userId, project: projectId },
        { you: machine.clientId, project: projectId },
      ]);
      const refused = await Promise.all([...wrong, bare].map(call));
      assert.deepEqual(
        refused.map(({ status }) => status),
        [401, 401, 401, 401, 401, 401, 403],
      );
      assert.deepEqual(
        [...responses, ...refused].flatMap(({ headers }) => headers.getSetCookie()),
        [],
        'no response sets a cookie',
      );
    });
});
