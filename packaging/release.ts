import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Lock } from './lock.ts';
import { run } from './running.ts';

/**
 * Makes a release: `npm run release -- VERSION`. It gives the version to every package, to the chart and to the change log, takes the
 * API descriptions as the released ones, makes the files in `release/`, and ends with a commit and a tag. Pushing and publishing stay
 * with a person.
 */
const root = resolve(import.meta.dirname, '..');
const out = join(root, 'release');
const WORKSPACES = [
  '',
  'bench',
  'console',
  'sdk/api',
  'sdk/browser',
  'sdk/create',
  'sdk/next',
  'sdk/node',
  'sdk/react',
  'server',
  'site',
];
const UNRELEASED = '## Unreleased\n';
const CHART = 'packaging/chart/Chart.yaml';
const PYTHON = 'sdk/python/pyproject.toml';
/** The release that the test of upgrades starts beside the next version. */
const LAST_RELEASE = 'packaging/upgrade/last-release.tgz';
/** Files of a release that the test of upgrades does not use. */
const UNUSED = ['console/dist', 'site/dist', 'THIRD-PARTY-LICENSES.txt', 'README.md', 'CHANGELOG.md'];

class Refused extends Error {}

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

function rewrite(path: string, change: (text: string) => string): void {
  writeFileSync(join(root, path), change(read(path)));
}

function git(...args: string[]): Promise<string> {
  return run('git', args, { cwd: root });
}

/** @throws Refused if this commit can't be released as the version */
async function check(version: string): Promise<void> {
  if (!/^\d+\.\d+\.\d+(-[0-9a-z.-]+)?$/.test(version)) throw new Refused('Name the version: npm run release -- 1.2.3');
  if ((await git('status', '--porcelain')) !== '') throw new Refused('Commit or discard your changes first.');
  if ((await git('tag', '--list', `v${version}`)) !== '') throw new Refused(`There is a tag v${version} already.`);
  if (!/## Unreleased\n+###/.test(read('CHANGELOG.md'))) throw new Refused('CHANGELOG.md has nothing unreleased.');
}

function setVersion(version: string): void {
  for (const workspace of WORKSPACES)
    rewrite(join(workspace, 'package.json'), (text) => text.replace(/"version": "[^"]*"/, `"version": "${version}"`));
  rewrite('package-lock.json', (text) => {
    const lock: Lock & { version: string } = JSON.parse(text);
    lock.version = version;
    for (const workspace of WORKSPACES) Object.assign(lock.packages[workspace] ?? {}, { version });
    return `${JSON.stringify(lock, null, 2)}\n`;
  });
  rewrite(CHART, (text) => text.replaceAll(/^(version|appVersion): .*$/gm, `$1: ${version}`));
  rewrite(PYTHON, (text) => text.replace(/^version = ".*"$/m, `version = "${version}"`));
  const today = new Date().toISOString().slice(0, 10);
  rewrite('CHANGELOG.md', (text) => text.replace(UNRELEASED, `${UNRELEASED}\n## ${version} (${today})\n`));
}

/** The change log of the version, as the text of the release. */
function notesOf(version: string): string {
  const [, section = ''] = read('CHANGELOG.md').split(`\n## ${version} `);
  return `${section.slice(section.indexOf('\n')).split('\n## ')[0]?.trim()}\n`;
}

/** Packs the committed files of a folder, without the tests of a chart, under another name. */
async function pack(folder: string, file: string, name: string): Promise<void> {
  const files = (await git('ls-files', '--', folder))
    .split('\n')
    .filter((path) => path !== '' && !path.endsWith('.ts'));
  const options = ['--gzip', '--transform', `s,^${folder},${name},`];
  await run('tar', ['--create', '--file', join(out, file), ...options, ...files], { cwd: root });
}

async function makeFiles(version: string): Promise<void> {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out);
  const folder = join(out, 'package');
  await run('npm', ['run', 'build'], { cwd: root });
  await run('npm', ['pack', '--silent', '--pack-destination', out], { cwd: folder });
  const sbom = [
    '--silent',
    'sbom',
    '--sbom-format',
    'cyclonedx',
    '--sbom-type',
    'application',
    '--omit',
    'dev',
    '--package-lock-only',
  ];
  writeFileSync(join(out, `latchkey-${version}.cdx.json`), await run('npm', sbom, { cwd: folder }));
  copyFileSync(join(folder, 'THIRD-PARTY-LICENSES.txt'), join(out, `latchkey-${version}-licenses.txt`));
  writeFileSync(join(out, `latchkey-${version}-changes.md`), notesOf(version));
  await pack('packaging/chart', `latchkey-chart-${version}.tgz`, 'latchkey');
  await pack('sdk/python', `latchkey-python-${version}.tgz`, `latchkey-python-${version}`);
  await pack('sdk/go', `latchkey-go-${version}.tgz`, `latchkey-go-${version}`);
  const sums = readdirSync(out)
    .filter((name) => name.startsWith('latchkey-'))
    .map(
      (name) =>
        `${createHash('sha256')
          .update(readFileSync(join(out, name)))
          .digest('hex')}  ${name}\n`,
    );
  writeFileSync(join(out, 'SHA256SUMS'), sums.join(''));
}

/** Keeps the code of this release for the tests of the next one. */
async function keepPackage(): Promise<void> {
  const unused = UNUSED.map((path) => `--exclude=package/${path}`);
  const files = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', ...unused, 'package'];
  await run('tar', ['--create', '--gzip', '--file', join(root, LAST_RELEASE), ...files], { cwd: out });
}

async function release(version: string): Promise<void> {
  await check(version);
  setVersion(version);
  await run('node', ['server/tests/run.ts', 'server/tests/compatibility.test.ts'], {
    cwd: root,
    settings: { UPDATE_RELEASED: '1' },
  });
  await makeFiles(version);
  await keepPackage();
  await git('commit', '--quiet', '--all', '--message', `Release ${version}`);
  await git(
    'tag',
    '--annotate',
    '--cleanup=verbatim',
    `v${version}`,
    '--file',
    join(out, `latchkey-${version}-changes.md`),
  );
  console.log(`Release ${version} is in ${out}, with a commit and the tag v${version}. To publish it:`);
  console.log(`  git push --follow-tags && npm publish ${join(out, `latchkey-${version}.tgz`)}`);
}

try {
  await release(process.argv[2] ?? '');
} catch (error) {
  if (!(error instanceof Refused)) throw error;
  console.error(error.message);
  process.exit(1);
}
