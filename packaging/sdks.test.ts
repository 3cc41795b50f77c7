import assert from 'node:assert/strict';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { openBrowser } from '../server/tests/browser.ts';
import { eventually, PASSWORD, register, startTestLatchkey, type TestLatchkey } from '../server/tests/harness.ts';
import { type Running, run, start } from './running.ts';

/** What product teams install: the packages in `sdk/`, packed as for the registry, and the applications that are made from them. */

const ROOT = dirname(import.meta.dirname);
const FLAGS = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--silent'];
const NO_TELEMETRY = { NEXT_TELEMETRY_DISABLED: '1' };

let folder: string;
const inFolder = (path: string) => join(folder, path);
const files = () => globSync('*.tgz', { cwd: inFolder('packages') }).sort();
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'latchkey-sdks-'));
  await run('node', ['packaging/sdks.ts', inFolder('packages')], { cwd: ROOT });
});
after(() => rmSync(folder, { recursive: true, force: true }));

describe('the packages', () => {
  const ENTRIES: Record<string, readonly string[]> = {
    '@latchkey/api': ['createApiClient', 'ProblemError'],
    '@latchkey/api/status': ['statusPoller'],
    '@latchkey/browser': ['Auth', 'AuthError'],
    '@latchkey/browser/api': ['ApiAuth', 'accountOf'],
    '@latchkey/next': ['latchkey'],
    '@latchkey/node': ['tokenVerifier', 'managementTokens'],
    '@latchkey/node/express': ['requireToken'],
    '@latchkey/node/fastify': ['requireToken'],
    '@latchkey/node/hono': ['requireToken'],
    '@latchkey/node/nest': ['requireToken'],
    '@latchkey/node/web': ['authorizeRequest'],
    '@latchkey/node/webhooks': ['verifyWebhook'],
    '@latchkey/node/webhooks/node': ['verifyWebhook'],
    '@latchkey/react': ['LatchkeyProvider', 'SignInForm', 'AccountPanel'],
  };

  /** What the entries are used with. */
  const PEERS = [
    'react@19.3.1',
    'react-dom@19.3.1',
    'next@16.4.6',
    '@nestjs/common@12.5.1',
    'reflect-metadata@0.2.2',
    'rxjs@7.8.2',
  ];

  test('have the version of Latchkey, hold no sources, and each entry is imported from an empty folder', async () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const names = [
      'create-latchkey-app',
      'latchkey-api',
      'latchkey-browser',
      'latchkey-next',
      'latchkey-node',
      'latchkey-react',
    ];
    assert.deepEqual(
      files(),
      names.map((name) => `${name}-${version}.tgz`),
    );
    const cwd = inFolder('empty');
    mkdirSync(cwd);
    writeFileSync(join(cwd, 'package.json'), '{ "type": "module" }');
    const paths = files().map((file) => inFolder(`packages/${file}`));
    await run('npm', ['install', ...FLAGS, ...paths, ...PEERS], { cwd });
    const held = globSync('node_modules/{@latchkey/*,create-latchkey-app}/**/*.{ts,tsx}', { cwd });
    assert.deepEqual(
      held.filter((path) => !/\.d\.ts$|\/templates\//.test(path) || path.includes('.test.')),
      [],
    );
    const script = Object.entries(ENTRIES)
      .flatMap(([entry, found]) => [
        `const entry = await import('${entry}');`,
        ...found.map((name) => `if (typeof entry.${name} !== 'function') throw new Error('${entry} has no ${name}');`),
      ])
      .join('\n')
      .replaceAll(/const entry = (.*)/g, '}{ const entry = $1');
    await run('node', ['--input-type=module', '-e', `{${script}}`], { cwd });
    await assert.rejects(run('npx', ['create-latchkey-app', 'app', '--data', cwd], { cwd }), /Start Latchkey first/);
  });
});

describe('an application of create-latchkey-app', () => {
  let latchkey: TestLatchkey;
  let browser: Awaited<ReturnType<typeof openBrowser>>;
  let person: { email: string };
  const running: Running[] = [];
  before(async () => {
    latchkey = await startTestLatchkey();
    browser = await openBrowser();
    person = await register(latchkey);
    mkdirSync(inFolder('data'));
    writeFileSync(inFolder('data/demo.json'), JSON.stringify(latchkey.demo));
  });
  // Some use the same port.
  afterEach(async () => {
    for (const { child } of running) child.kill();
    await Promise.all(running.splice(0).map(({ ended }) => ended));
  });
  after(async () => {
    await browser.close();
    await latchkey.stop();
  });

  /** Makes an application, as a person would. */
  async function make(template: string, name = `my-${template}`): Promise<string> {
    const [file = ''] = files().filter((packed) => packed.startsWith('create-'));
    const flags = ['--template', template, '--data', inFolder('data'), '--packages', inFolder('packages')];
    const command = ['exec', '--yes', `--package=${inFolder(`packages/${file}`)}`, '--', 'create-latchkey-app'];
    await run('npm', [...command, name, ...flags], { cwd: folder });
    return inFolder(name);
  }

  async function made(template: string): Promise<string> {
    const cwd = await make(template);
    await run('npm', ['install', ...FLAGS], { cwd });
    return cwd;
  }

  async function serving(cwd: string): Promise<string> {
    const { scripts } = JSON.parse(readFileSync(join(cwd, 'package.json'), 'utf8'));
    // Without npm between: it would leave the server running.
    const [program = '', ...parameters] = String(scripts.start).split(' ');
    const installed = join(cwd, 'node_modules/.bin', program);
    const server = start(existsSync(installed) ? installed : program, parameters, { cwd, settings: NO_TELEMETRY });
    running.push(server);
    return eventually(async () => {
      const origin = /(?:Open|Local:) +(http:\S+)/.exec(server.output())?.[1];
      assert.ok(origin, server.output());
      return origin;
    });
  }

  async function signIn(origin: string) {
    const page = await (await browser.newContext()).newPage();
    await page.goto(origin);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.fill('input[name=identifier]', person.email);
    await page.fill('input[name=password]', PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByText(`You are signed in as ${person.email}.`).waitFor();
    return page;
  }

  /** Ends all sessions of the person. Latchkey tells the application, whose cookie would last longer. */
  async function expectEnded(page: Awaited<ReturnType<typeof signIn>>) {
    const credentials = { identifier: person.email, password: PASSWORD };
    const { body } = await latchkey.auth('/v1/auth/login/password', { body: credentials });
    await latchkey.auth('/v1/sessions/logout', { token: body.access_token, body: { everywhere: true } });
    await eventually(async () => {
      await page.goto(new URL('/', page.url()).href);
      assert.match(await page.locator('body').innerText(), /You are not signed in/);
    });
  }

  test('react is built, signs people in, and its API accepts their token only', async () => {
    const cwd = await made('react');
    await run('npm', ['run', 'build'], { cwd });
    const origin = await serving(cwd);
    const page = await signIn(origin);
    await page.getByText(/^The API says: Hello, usr_/).waitFor();
    assert.equal((await fetch(`${origin}/api/greeting`)).status, 401);
    await page.getByRole('button', { name: /^Account menu/ }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You are not signed in.').waitFor();
  });

  test('express signs people in, and out again', async () => {
    const origin = await serving(await made('express'));
    const page = await signIn(origin);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You are not signed in.').waitFor();
    await expectEnded(await signIn(origin));
    const body = new URLSearchParams({ logout_token: 'a.b.c' });
    assert.equal((await fetch(`${origin}/backchannel-logout`, { method: 'POST', body })).ok, false);
  });

  test('nextjs is built, signs people in on the way to a page, and out again', async () => {
    const cwd = await made('nextjs');
    await run('npm', ['run', 'build'], { cwd, settings: NO_TELEMETRY });
    const page = await signIn(await serving(cwd));
    await page.getByRole('link', { name: 'A page for people who are signed in' }).click();
    await page.getByText('Only you see this').waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You are not signed in.').waitFor();
    // The router fetches the page, and leaves for the sign-in.
    await page.getByRole('link', { name: 'A page for people who are signed in' }).click();
    await page.fill('input[name=identifier]', person.email);
    await page.fill('input[name=password]', PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByText('Only you see this').waitFor();
    assert.equal(new URL(page.url()).pathname, '/private');
    await expectEnded(page);
  });

  test('react-native fits the types of its packages', async () => {
    await run('npx', ['tsc', '--noEmit'], { cwd: await made('react-native') });
  });

  test('made again under the same name takes the application at Latchkey that there is, with another secret', async () => {
    const settingsOf = async () => {
      const cwd = await make('express', 'again');
      const settings = readFileSync(join(cwd, '.env'), 'utf8');
      rmSync(cwd, { recursive: true });
      return ['ID', 'SECRET'].map((name) => new RegExp(`CLIENT_${name}=(\\S+)`).exec(settings)?.[1]);
    };
    const first = await settingsOf();
    const second = await settingsOf();
    // An application has two secrets at most.
    const third = await settingsOf();
    const [ids = [], secrets = []] = [0, 1].map((part) => [first, second, third].map((settings) => settings[part]));
    assert.ok([...ids, ...secrets].every((value) => value));
    assert.equal(new Set(ids).size, 1);
    assert.equal(new Set(secrets).size, 3);
  });
});
