import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Lock, packagesOf } from './lock.ts';

/** Licences that permit to pass a package on as a part of Latchkey, with their text (SPDX). */
const PERMITTED = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'OFL-1.1',
  'Python-2.0',
  'Unlicense',
  'Zlib',
];
const FILE = /^(licen[cs]e|copying|notice)/i;

type Used = { name: string; licence: string; texts: string[] };

/**
 * The licences of all packages that a release contains or installs, with their texts.
 * @throws Error if a licence is not permitted
 */
export async function licenceReport(root: string, lock: Lock): Promise<string> {
  const folders = [...packagesOf(lock, 'server').union(packagesOf(lock, 'console'))].sort();
  const used = await Promise.all(folders.map((folder) => readUsed(root, lock, folder)));
  const refused = used.filter(({ licence }) => !isPermitted(licence));
  if (refused.length > 0)
    throw new Error(
      `Not permitted licences:\n${refused.map(({ name, licence }) => `  ${name}: ${licence}`).join('\n')}`,
    );
  const texts = Map.groupBy(
    used.flatMap(({ name, texts: own }) => own.map((text) => ({ name, text }))),
    ({ text }) => text,
  );
  return [
    'Latchkey contains or installs these packages.\n',
    ...used.map(({ name, licence }) => `${name}: ${licence}`),
    ...[...texts].map(([text, users]) => `\n${'-'.repeat(80)}\n${users.map(({ name }) => name).join(', ')}\n\n${text}`),
    '',
  ].join('\n');
}

/** An expression is permitted if one of its alternatives is, or all parts of it are. */
function isPermitted(licence: string): boolean {
  return licence
    .replaceAll(/[()]/g, '')
    .split(' OR ')
    .some((choice) => choice.split(' AND ').every((part) => PERMITTED.includes(part)));
}

async function readUsed(root: string, lock: Lock, folder: string): Promise<Used> {
  const { version, license = 'none' } = lock.packages[folder] ?? {};
  const name = `${folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length)} ${version}`;
  // Packages for other systems are not installed here.
  const files = await readdir(join(root, folder)).catch(() => []);
  const texts = files
    .filter((file) => FILE.test(file))
    .sort()
    .map((file) => readFile(join(root, folder, file), 'utf8'));
  return { name, licence: license, texts: (await Promise.all(texts)).map((text) => text.trim()) };
}
