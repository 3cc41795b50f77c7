import { posix } from 'node:path';
import type { Source } from './sources.ts';

/** Each rule gives the faults of one file as `path:line what is wrong`; none when it keeps the rule. */
type Rule = (source: Source) => string[];

/**
 * The parts in the order in which they may be imported: each only by those after it. The order is that of the imports map.
 * Migrations come first: they are text that imports nothing. What puts the parts together comes last.
 */
export function orderOf(importsMap: Record<string, string>): string[] {
  const listed = Object.keys(importsMap).map((specifier) => partIn(specifier));
  const ends = ['migrations', 'tests'];
  return ['migrations', ...listed.filter((part) => !ends.includes(part)), 'cli', 'main', 'tests'];
}

/** A wildcard would open every file of a part to the others; only `platform/` and the tests have one. */
export function wildcardsIn(importsMap: Record<string, string>): string[] {
  return Object.entries(importsMap)
    .filter(([specifier, target]) => `${specifier}${target}`.includes('*'))
    .map(([specifier]) => specifier);
}

/** A part imports only parts before it. Tests may import all. */
export function keepsOrder(order: readonly string[]): Rule {
  return ({ path, text }) => {
    if (isTest(path)) return [];
    const own = partOf(path);
    const later = ({ specifier }: Import) =>
      specifier.startsWith('#') && order.indexOf(partIn(specifier)) > order.indexOf(own);
    return importsIn(text)
      .filter(later)
      .map(({ specifier, line }) => `${path}:${line} ${own} comes before ${specifier}`);
  };
}

/** Across parts only `#part`, `#platform/x.ts` and (in tests) `#tests/x.ts`; inside a part only relative paths, and none that leaves it. */
export const usesFrontDoors: Rule = ({ path, text }) => {
  const own = partOf(path);
  return importsIn(text)
    .map(({ specifier, line }) => ({ line, fault: doorFault(path, own, specifier) }))
    .filter(({ fault }) => fault !== null)
    .map(({ line, fault }) => `${path}:${line} ${fault}`);
};

function doorFault(path: string, own: string, specifier: string): string | null {
  if (specifier.startsWith('.')) {
    const target = posix.normalize(posix.join(posix.dirname(path), specifier));
    return own === 'main' || partOf(target) === own ? null : `${specifier} leaves the part; import #part`;
  }
  if (!specifier.startsWith('#')) return null;
  const part = partIn(specifier);
  if (specifier.includes('/') && part !== 'platform' && part !== 'tests')
    return `${specifier} goes past the front door of ${part}`;
  return part === own && !isTest(path) ? `${specifier} is this part's own front door; import ./x.ts` : null;
}

/** Table → the part that declares it in `interface Tables`. */
export function tableOwners(sources: readonly Source[]): Map<string, string> {
  const owners = new Map<string, string>();
  for (const { path, text } of sources) {
    if (isTest(path)) continue;
    for (const [, body = ''] of text.matchAll(/declare module '[^']*\bdb\.ts' \{\s*interface Tables \{([^}]*)\}/g)) {
      for (const [, table = ''] of body.matchAll(/^\s*(\w+):/gm)) owners.set(table, partOf(path));
    }
  }
  return owners;
}

/** The tables that migrations make, under the names they end with. */
export function tablesMade(sources: readonly Source[]): string[] {
  const migrations = sources.filter(({ path }) => partOf(path) === 'migrations');
  const renamed = new Map(
    migrations.flatMap(({ text }) =>
      [...text.matchAll(/alter table (\w+) rename to (\w+)/gi)].map(([, from = '', to = '']) => [from, to] as const),
    ),
  );
  return migrations.flatMap(({ text }) =>
    [...text.matchAll(/create table (?:if not exists )?(\w+)/gi)].map(([, table = '']) => renamed.get(table) ?? table),
  );
}

const BUILDER =
  /\b(?:selectFrom|insertInto|updateTable|deleteFrom|replaceInto|mergeInto|using|from|table|(?:inner|left|right|full|cross)Join(?:Lateral)?)(?:<[^(]*>)?\(\s*(\[[^\]]*\]|['"`][\w ]+['"`])/g;
const ITEM = String.raw`"?[a-z_]+"?(?:\s+(?:as\s+)?(?!where|join|set|on|using|values|order|group|limit|for)[a-z_]+)?`;
const STATEMENT = new RegExp(
  String.raw`\b(?:from|join|into|update|using|truncate|table)\s+(?:table\s+|only\s+)?(${ITEM}(?:\s*,\s*${ITEM})*)`,
  'gi',
);

/** Only a part's own files name its tables, in the query builder, in SQL text or in a list of names. Migrations and tests may name all. */
export function namesOwnTables(owners: ReadonlyMap<string, string>): Rule {
  return ({ path, text }) => {
    const own = partOf(path);
    if (isTest(path) || own === 'migrations') return [];
    return tablesNamed(code(text)).flatMap(({ table, line }) => {
      const owner = owners.get(table);
      return owner === undefined || owner === own ? [] : [`${path}:${line} the table ${table} belongs to ${owner}`];
    });
  };
}

/** Also the name of a notice to a person. */
const OTHER_MEANINGS = ['recovery_codes'];

function tablesNamed(text: string): { table: string; line: number }[] {
  const fromBuilder = [...text.matchAll(BUILDER)].flatMap((match) =>
    [...(match[1] ?? '').matchAll(/['"`](\w+)/g)].map(([, table = '']) => ({ table, line: lineAt(text, match.index) })),
  );
  const fromSql = [...text.matchAll(STATEMENT)].flatMap((match) =>
    (match[1] ?? '')
      .split(',')
      .map((item) => ({ table: (/\w+/.exec(item)?.[0] ?? '').toLowerCase(), line: lineAt(text, match.index) })),
  );
  // A list of tables that something else reads is as good as a statement. Names of one word stand for other things, too.
  const fromLists = [...text.matchAll(/(['"`])([a-z]+(?:_[a-z]+)+)\1/g)].map((match) => ({
    table: match[2] ?? '',
    line: lineAt(text, match.index),
  }));
  return unique([...fromBuilder, ...fromSql, ...fromLists.filter(({ table }) => !OTHER_MEANINGS.includes(table))]);
}

function unique(named: readonly { table: string; line: number }[]): { table: string; line: number }[] {
  return [...new Map(named.map((one) => [`${one.table} ${one.line}`, one])).values()];
}

const ENVIRONMENT =
  /\bprocess\s*(?:\?\.|\.)\s*env\b(?!\[[^\]]*\] = )|\bprocess\[|\{[^}]*\benv\b[^}]*\}\s*(?:=\s*process\b|from 'node:process')/g;

/** Configuration is read once: nothing but `platform/config.ts` looks at the environment. Setting a variable for a library is no reading. */
export const readsNoEnvironment: Rule = ({ path, text }) => {
  if (isTest(path) || path === 'platform/config.ts') return [];
  return faults(path, text, ENVIRONMENT, 'reads the environment');
};

/** Where a Latchkey takes the password cost of the tests from, keeps it, and uses it. */
const KNOWS_TEST_COST = /^(?:hosts\/latchkey|platform\/system|\w+\/hashing)\.ts$/;

/** Nothing in the product makes password hashes cheaper than they are. */
export const hashesAtFullCost: Rule = ({ path, text }) =>
  isTest(path) || KNOWS_TEST_COST.test(path)
    ? []
    : faults(path, text, /\btestPasswordCost\b/g, 'changes the cost of password hashes');

const TEST = /^([ \t]*)test\((?:.*\);$|[\s\S]*?\n\1\}?\);$)/gm;
/** What fails by itself: `assert` and functions of the tests that are named after what they expect. */
const ASSERTION = /\b(?:assert\b|expect[A-Z])/;

/** Every test asserts: who reads it sees what must hold, and waiting for something is not yet a statement. */
export const asserts: Rule = ({ path, text }) => {
  if (!path.endsWith('.test.ts')) return [];
  const plain = code(text);
  return [...plain.matchAll(TEST)]
    .filter(([body]) => !ASSERTION.test(body))
    .map(({ index }) => `${path}:${lineAt(plain, index)} the test asserts nothing`);
};

/** Biome knows the global `fetch`, not the property of `globalThis`. */
export const callsOutThroughFetch: Rule = ({ path, text }) =>
  isTest(path) || path === 'platform/fetch.ts'
    ? []
    : faults(path, text, /\bglobalThis\s*(?:\.\s*fetch|\[)/g, 'calls out past platform/fetch.ts');

const REGISTERED = /\.(?:get|post|put|patch|delete|head|options|all)(?:<[^(]*>)?\(\s*['"`]\/|\.route\(\s*\{/g;

/** What mounts routes; and servers that nobody signs in at: health and metrics, and the one that leads to https. */
const REGISTERING = ['platform/http-mount.ts', 'hosts/internal-host.ts', 'hosts/tls.ts'];

/** Routes are values, which say who may call them, and are mounted. */
export const mountsRoutes: Rule = ({ path, text }) =>
  isTest(path) || REGISTERING.includes(path)
    ? []
    : faults(path, text, REGISTERED, 'registers a route without mounting it');

type Import = { specifier: string; line: number };

const IMPORT =
  /(?:\bfrom\s*|\bimport\s*|\bimport\s*\(\s*|\brequire\s*\(\s*|\bimport\.meta\.resolve\(\s*)(['"])([^'"\n]+)\1/g;

function importsIn(text: string): Import[] {
  const plain = code(text);
  return [...plain.matchAll(IMPORT)].map((match) => ({ specifier: match[2] ?? '', line: lineAt(plain, match.index) }));
}

function faults(path: string, text: string, pattern: RegExp, what: string): string[] {
  const plain = code(text);
  return [...plain.matchAll(pattern)].map(({ index }) => `${path}:${lineAt(plain, index)} ${what}`);
}

/** The text with the comments that stand on lines of their own blanked; lines keep their numbers. */
function code(text: string): string {
  return text.replace(/^[ \t]*(?:\/\*[\s\S]*?\*\/|\/\/.*$)/gm, (comment) => comment.replace(/[^\n]/g, ' '));
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}

function isTest(path: string): boolean {
  return path.startsWith('tests/') || path.endsWith('.test.ts');
}

/** The part a file belongs to: its first folder. Files in `server/` itself put the parts together. */
function partOf(path: string): string {
  return path.includes('/') ? path.slice(0, path.indexOf('/')) : 'main';
}

/** The part a specifier names: `#members` and `#members/x.ts` → `members`. */
function partIn(specifier: string): string {
  return /^#([^/]+)/.exec(specifier)?.[1] ?? '';
}
