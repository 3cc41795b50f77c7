import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { bundle } from './bundle.ts';
import { licenceReport } from './licences.ts';
import { type Lock, releaseLock } from './lock.ts';
import { type Manifest, releaseManifest, serverManifest } from './manifests.ts';
import { filesOf, released } from './sources.ts';

/** Makes the folder of a release: plain JavaScript with the console, ready for `npm pack`. `node packaging/build.ts [FOLDER]` */
const root = resolve(import.meta.dirname, '..');
const out = resolve(process.argv[2] ?? join(root, 'release', 'package'));
const builtConsole = join(root, 'console', 'dist');
const builtSite = join(root, 'site', 'dist');

function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(join(root, path), 'utf8'));
}

function write(path: string, content: string | object): void {
  mkdirSync(dirname(join(out, path)), { recursive: true });
  writeFileSync(join(out, path), typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`);
}

if (!existsSync(join(builtConsole, 'index.html')))
  throw new Error('The console is not built. Build it first: npm run build -w console');
if (!existsSync(join(builtSite, 'index.html.br')))
  throw new Error('The documentation is not built. Build it first: npm run build -w site');
rmSync(out, { recursive: true, force: true });

const server = readJson<Manifest>('server/package.json');
write('server/package.json', serverManifest(server));
await bundle({ entry: join(root, 'packaging/entry.ts'), sources: join(root, 'server') }, join(out, 'server'));
for (const source of await filesOf(root)) {
  const { path, text } = released(source, readFileSync(join(root, source), 'utf8'));
  write(path, text);
}

const lock = readJson<Lock>('package-lock.json');
const manifest = releaseManifest(readJson<Manifest>('package.json'), server);
write('package.json', manifest);
write('npm-shrinkwrap.json', releaseLock(manifest, lock));
write('THIRD-PARTY-LICENSES.txt', await licenceReport(root, lock));

cpSync(builtConsole, join(out, 'console', 'dist'), { recursive: true });
cpSync(builtSite, join(out, 'site', 'dist'), { recursive: true });
for (const file of ['LICENSE', 'README.md', 'CHANGELOG.md']) cpSync(join(root, file), join(out, file));
console.log(`The release is in ${out}`);
