import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { eventually } from '../../server/tests/harness.ts';
import { freePortBase } from '../../server/tests/ports.ts';
import { emptyDatabase } from '../../server/tests/postgres.ts';
import { buildRelease, run, start } from '../running.ts';

/**
 * Builds the image and runs it as a platform would: read-only, without capabilities, as no known user. No registry of images
 * is needed: the machine that builds is made of Debian packages and the Node.js of the tests.
 */

const TOOLS = ['buildah', 'podman', 'runc', 'mmdebstrap'];
/** The Debian packages that the build needs, besides Node.js and npm. */
const PACKAGES = 'bash,dash,coreutils,findutils,grep,libc-bin,binutils,libstdc++6,libgcc-s1';
const SECRET = { LATCHKEY_SECRET: 'a secret of thirty-two characters' };
const MAX_IMAGE_BYTES = 200_000_000;
const MAX_RELEASE_BYTES = 150_000_000;

/** The images and containers of these tests are in this folder. */
const folder = mkdtempSync(join(tmpdir(), 'latchkey-container-'));
const STORE = ['--root', join(folder, 'store'), '--runroot', join(folder, 'run'), '--storage-driver', 'vfs'];
const buildah = (...args: string[]) => run('buildah', [...STORE, ...args], { cwd: folder });
const podmanArgs = (...args: string[]) => [...STORE, '--cgroup-manager', 'cgroupfs', '--runtime', 'runc', ...args];
const here = { cwd: folder, settings: { CONTAINERS_CONF: join(folder, 'containers.conf') } };
const podman = (...args: string[]) => run('podman', podmanArgs(...args), here);

/** What Latchkey printed about itself in a container, which is JSON on standard error. */
async function saidBy(container: string): Promise<string[]> {
  const { output } = await start('podman', podmanArgs('logs', container), here).ended;
  const lines = output.split('\n').filter((line) => line.startsWith('{'));
  return lines.map((line) => String(Object(JSON.parse(line)).msg));
}

const missing = missingTool() ?? (await whyNoContainers());
const options = { skip: missing ?? false };

function missingTool(): string | null {
  if (process.getuid?.() !== 0) return 'the image is built as root';
  const tool = TOOLS.find((name) => !isInstalled(name));
  return tool === undefined ? null : `${tool} is not installed`;
}

function isInstalled(tool: string): boolean {
  try {
    execFileSync(tool, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/**
 * Makes the machine that builds, and runs a container of it. No file of Latchkey is part of that, so a failure is one of this
 * machine: Debian's packages are out of reach, or its kernel permits no containers.
 * @returns the failure, if there is one
 */
async function whyNoContainers(): Promise<string | null> {
  try {
    // The limits that a container gets by default may be higher than those of this machine.
    writeFileSync(
      join(folder, 'containers.conf'),
      '[containers]\ndefault_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]\n',
    );
    await makeBuilder();
    await podman('run', '--rm', '--network', 'host', '--read-only', 'localhost/builder', '/bin/true');
    return null;
  } catch (error) {
    return `this machine runs no containers: ${String(error).trim().split('\n').at(-1)}`;
  }
}

/** The machine that builds. */
async function makeBuilder(): Promise<void> {
  await run('mmdebstrap', ['--quiet', '--variant=extract', `--include=${PACKAGES}`, 'bookworm', 'builder.tar'], {
    cwd: folder,
  });
  const builder = (await buildah('from', 'scratch')).trim();
  const npm = resolve(realpathSync(execFileSync('which', ['npm'], { encoding: 'utf8' }).trim()), '../..');
  await buildah('add', builder, 'builder.tar', '/');
  await buildah('copy', builder, process.execPath, '/usr/local/bin/node');
  await buildah('copy', builder, npm, '/usr/local/lib/npm');
  const link = ['ln', '-s', '../lib/npm/bin/npm-cli.js', '/usr/local/bin/npm'];
  await buildah('run', '--isolation', 'chroot', builder, '--', ...link);
  await buildah('config', '--env', 'PATH=/usr/local/bin:/usr/bin:/bin', builder);
  await buildah('commit', '--quiet', builder, 'localhost/builder');
}

/** The sizes of all files in a folder. */
function bytesIn(path: string): number {
  return globSync('**/*', { cwd: path, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

after(() => rmSync(folder, { recursive: true, force: true }));

describe('the container image', options, () => {
  let database: { url: string; drop: () => Promise<void> };
  let base: number;

  const latchkey = (...args: string[]) =>
    podman('exec', 'latchkey', '/usr/bin/node', '/app/server/latchkey.mjs', ...args);

  async function makeImage(): Promise<void> {
    const certificates = process.env['NODE_EXTRA_CA_CERTS'];
    const cache = execFileSync('npm', ['config', 'get', 'cache'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    await buildah(
      ...['build', '--isolation', 'chroot', '--format', 'docker', '--tag', 'latchkey'],
      ...['--build-arg', 'BUILD=localhost/builder', '--file', join(import.meta.dirname, 'Containerfile')],
      ...['--volume', `${cache.trim()}:/root/.npm`],
      ...(certificates === undefined ? [] : ['--secret', `id=ca,src=${certificates}`]),
      join(folder, 'package'),
    );
  }

  before(async () => {
    await buildRelease(join(folder, 'package'));
    await makeImage();
    database = await emptyDatabase(process.env['LATCHKEY_TEST_DATABASE_URL'] ?? '');
    base = await freePortBase();
    const settings = {
      DATABASE_URL: database.url,
      LATCHKEY_MODE: 'development',
      ...SECRET,
      LATCHKEY_PORT_BASE: String(base),
    };
    await podman(
      ...['run', '--detach', '--name', 'latchkey', '--network', 'host', '--no-healthcheck'],
      ...['--read-only', '--cap-drop', 'all', '--security-opt', 'no-new-privileges'],
      ...Object.entries(settings).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
      'latchkey',
    );
  });
  after(async () => {
    await podman('rm', '--force', '--all').catch(() => undefined);
    await database?.drop();
  });

  test('starts read-only, without capabilities, as the user 10001', async () => {
    await eventually(async () => assert.match((await saidBy('latchkey')).join('\n'), /^Ready in/m));
    const probe = `
      const fs = require('node:fs');
      const status = fs.readFileSync('/proc/1/status', 'utf8');
      const writable = (path) => { try { fs.writeFileSync(path, ''); return true; } catch { return false; } };
      console.log(JSON.stringify({
        uid: process.getuid(),
        capabilities: /CapBnd:\\s*(\\w+)/.exec(status)[1],
        writable: ['/app/a', '/a', '/data/a'].filter(writable),
        programs: fs.readdirSync('/usr/bin'),
      }));`;
    assert.deepEqual(JSON.parse(await podman('exec', 'latchkey', '/usr/bin/node', '-e', probe)), {
      uid: 10_001,
      capabilities: '0000000000000000',
      writable: ['/data/a'],
      programs: ['node'],
    });
  });

  test('passes its health check, and runs the quickstart', async () => {
    assert.match(await latchkey('ready'), /"status":"ready"/);
    assert.match(await latchkey('quickstart'), /SESSION_REVOKED/);
    const page = await fetch(`http://127.0.0.1:${base}/console/`);
    assert.match(await page.text(), /<script type="module"/);
  });

  test('stops on SIGTERM with 0', async () => {
    await podman('stop', '--time', '60', 'latchkey');
    assert.equal((await podman('inspect', 'latchkey', '--format', '{{.State.ExitCode}}')).trim(), '0');
    assert.ok((await saidBy('latchkey')).includes('Stopped.'));
  });

  test('is under 200 MB, and under 150 MB without the C library', async () => {
    const container = (await buildah('from', 'latchkey')).trim();
    const root = (await buildah('mount', container)).trim();
    const whole = bytesIn(root);
    const release = bytesIn(join(root, 'app')) + statSync(join(root, 'usr/bin/node')).size;
    assert.ok(whole < MAX_IMAGE_BYTES, `${whole} bytes`);
    assert.ok(release < MAX_RELEASE_BYTES, `${release} bytes`);
  });

  test('ends on SIGTERM while it still starts', async () => {
    // A database that never responds keeps a start waiting.
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port }: { port: number } = Object(silent.address());
    const settings = { DATABASE_URL: `postgres://latchkey@127.0.0.1:${port}/latchkey`, LATCHKEY_MODE: 'development' };
    await podman(
      ...['run', '--detach', '--name', 'starting', '--network', 'host', '--no-healthcheck'],
      ...Object.entries({ ...SECRET, ...settings }).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
      'latchkey',
    );
    await eventually(async () => assert.match((await saidBy('starting')).join('\n'), /^Starting Latchkey/m));
    await podman('stop', '--time', '60', 'starting');
    silent.close();
    assert.equal((await podman('inspect', 'starting', '--format', '{{.State.ExitCode}}')).trim(), '143');
  });

  test('says what it is, and needs its settings in production mode', async () => {
    const [{ Config: config }] = JSON.parse(await podman('image', 'inspect', 'latchkey'));
    assert.equal(config.Labels['org.opencontainers.image.title'], 'Latchkey');
    assert.equal(config.User, '10001:10001');
    await assert.rejects(
      podman('run', '--rm', '--network', 'host', '--no-healthcheck', 'latchkey'),
      /DATABASE_URL is missing/,
    );
  });
});
