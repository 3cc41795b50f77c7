import { randomBytes } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { Application, Wanted } from './application.ts';

const FOLDER = resolve(import.meta.dirname, '../templates');
/** npm leaves these names out of packages, or reads them. */
const RENAMED = { gitignore: '.gitignore', 'package.template.json': 'package.json' };

type Template = Wanted & { run: string };

export const TEMPLATES = {
  react: {
    kind: 'spa',
    redirectUris: ['http://localhost:5173/'],
    postLogoutRedirectUris: ['http://localhost:5173/'],
    origins: ['http://localhost:5173'],
    api: 'http://localhost:5173/api',
    run: 'npm run dev',
  },
  express: {
    kind: 'web',
    redirectUris: ['http://localhost:3000/callback'],
    postLogoutRedirectUris: ['http://localhost:3000/'],
    backchannelLogoutUri: 'http://localhost:3000/backchannel-logout',
    origins: [],
    run: 'npm start',
  },
  nextjs: {
    kind: 'web',
    redirectUris: ['http://localhost:3000/auth/callback'],
    postLogoutRedirectUris: ['http://localhost:3000/'],
    backchannelLogoutUri: 'http://localhost:3000/auth/backchannel-logout',
    origins: [],
    run: 'npm run dev',
  },
  'react-native': {
    kind: 'native',
    redirectUris: ['com.example.app:/callback'],
    postLogoutRedirectUris: ['com.example.app:/'],
    origins: [],
    run: 'npx expo run:android',
  },
} as const satisfies Record<string, Template>;

export type TemplateName = keyof typeof TEMPLATES;

type Making = {
  template: TemplateName;
  application: Application;
  /** A folder with packed files. */
  packages: string | undefined;
};

/** Writes a new application with its settings. */
export function write(folder: string, { template, application, packages }: Making): void {
  cpSync(join(FOLDER, template), folder, { recursive: true });
  for (const [from, to] of Object.entries(RENAMED)) renameSync(join(folder, from), join(folder, to));
  const { version } = JSON.parse(readFileSync(join(FOLDER, '../package.json'), 'utf8'));
  const values: Record<string, string> = {
    ...application,
    version,
    name: nameOf(folder),
    secret: randomBytes(32).toString('base64url'),
  };
  const fill = (path: string) => {
    const text = readFileSync(join(folder, path), 'utf8').replaceAll(
      /%(\w+)%/g,
      (all, key: string) => values[key] ?? all,
    );
    writeFileSync(join(folder, path), text);
  };
  for (const path of ['package.json', 'env', 'README.md']) if (existsSync(join(folder, path))) fill(path);
  renameSync(join(folder, 'env'), join(folder, '.env'));
  if (packages !== undefined) installFrom(resolve(packages), join(folder, 'package.json'));
}

/** npm allows no capitals and spaces. */
function nameOf(folder: string): string {
  return (
    basename(folder)
      .toLowerCase()
      .replaceAll(/[^a-z0-9-]+/g, '-')
      .replace(/^-+/, '') || 'app'
  );
}

/** Names packed files in place of versions. */
function installFrom(packages: string, path: string): void {
  const manifest = JSON.parse(readFileSync(path, 'utf8'));
  const files = readdirSync(packages).filter((file) => file.endsWith('.tgz'));
  const fileOf = (name: string) => files.find((file) => file.startsWith(`${name.replace('@', '').replace('/', '-')}-`));
  const all = Object.keys(manifest.dependencies).filter((name) => name.startsWith('@latchkey/'));
  // A package that another one names is not in the registry of this machine either.
  const known = ['@latchkey/api', '@latchkey/browser', '@latchkey/next', '@latchkey/node', '@latchkey/react'];
  manifest.overrides = Object.fromEntries(
    known.filter((name) => !all.includes(name)).map((name) => [name, `file:${join(packages, fileOf(name) ?? '')}`]),
  );
  for (const name of all) manifest.dependencies[name] = `file:${join(packages, fileOf(name) ?? '')}`;
  writeFileSync(path, `${JSON.stringify(manifest, null, 2)}\n`);
}
