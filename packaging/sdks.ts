import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { run } from './running.ts';

/**
 * Builds the packages in `sdk/` and packs each into a file that npm installs. They have the version of the release and name each other by it.
 * `node packaging/sdks.ts [FOLDER]`
 */
const root = resolve(import.meta.dirname, '..');
const out = resolve(process.argv[2] ?? join(root, 'release', 'packages'));

type Names = Record<string, string>;
type SdkManifest = {
  name: string;
  private?: boolean;
  scripts?: Names;
  devDependencies?: Names;
  dependencies?: Names;
  peerDependencies?: Names;
  files: string[];
};

/** In the order of their imports: each is built with the types of those before it. */
const PACKAGES = ['api', 'browser', 'node', 'react', 'next', 'create'];

const { version }: { version: string } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

function exact(names: Names = {}): Names {
  return Object.fromEntries(
    Object.entries(names).map(([name, range]) => [name, name.startsWith('@latchkey/') ? version : range]),
  );
}

/** What users install: without what only this repository needs. */
function packedManifest({ private: _, scripts: _scripts, devDependencies: _dev, ...manifest }: SdkManifest): object {
  const { dependencies, peerDependencies } = manifest;
  return {
    ...manifest,
    version,
    ...(dependencies && { dependencies: exact(dependencies) }),
    ...(peerDependencies && { peerDependencies: exact(peerDependencies) }),
  };
}

async function pack(folder: string): Promise<void> {
  const cwd = join(root, 'sdk', folder);
  // A file that was renamed must not stay.
  rmSync(join(cwd, 'dist'), { recursive: true, force: true });
  await run('npm', ['run', '--silent', 'build'], { cwd });
  const manifest: SdkManifest = JSON.parse(readFileSync(join(cwd, 'package.json'), 'utf8'));
  const staging = mkdtempSync(join(tmpdir(), 'latchkey-sdk-'));
  for (const file of [...manifest.files, 'README.md'])
    cpSync(join(cwd, file), join(staging, file), { recursive: true });
  cpSync(join(root, 'LICENSE'), join(staging, 'LICENSE'));
  writeFileSync(join(staging, 'package.json'), `${JSON.stringify(packedManifest(manifest), null, 2)}\n`);
  await run('npm', ['pack', '--silent', '--pack-destination', out], { cwd: staging });
  rmSync(staging, { recursive: true });
}

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
for (const folder of PACKAGES) {
  // biome-ignore lint/performance/noAwaitInLoops: each is built with the types of those before it
  await pack(folder);
}
console.log(`${globSync('*.tgz', { cwd: out }).length} packages are in ${out}`);
