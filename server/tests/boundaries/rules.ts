import { posix } from 'node:path';
import { PARTS } from './parts.ts';
import type { Source } from './sources.ts';

/** A rule returns the faults of one file as `path:line message`; none if the file keeps the rule. */
type Rule = (source: Source) => string[];

/**
 * Every folder that holds source, in order of dependency. Migrations come first, because they import nothing. The folders
 * that assemble the parts come last.
 */
export const ORDER: readonly string[] = ['migrations', 'platform', ...PARTS, 'cli', 'main', 'tests'];

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

/**
 * Across parts only `#part`, `#platform/x.ts` and (in tests) `#tests/x.ts`; within a part only relative paths inside
 * it.
 */
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
    // Tests run the program, which belongs to no part.
    const program = isTest(path) && partOf(target) === 'main';
    return own === 'main' || partOf(target) === own || program ? null : `${specifier} leaves the part; import #part`;
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

/** The tables that migrations create, under their final names. */
export function tablesMade(sources: readonly Source[]): string[] {
  const migrations = sources.filter(({ path }) => partOf(path) === 'migrations' && !isTest(path));
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
  String.raw`\b(?:from|join|into|update|using|truncate|analyze|table)\s+(?:table\s+|only\s+)?(${ITEM}(?:\s*,\s*${ITEM})*)`,
  'gi',
);

/**
 * Only a part's own files name its tables, in the query builder, in SQL text or in a list of names. Migrations and
 * tests may name all.
 */
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

/** `recovery_codes` is also the name of a notice to a person. */
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
  // A list of tables for another function counts like a statement. Names of one word have other meanings, too.
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

/** Only `platform/config.ts` reads the environment. Setting a variable for a library is allowed. */
export const readsNoEnvironment: Rule = ({ path, text }) => {
  if (isTest(path) || path === 'platform/config.ts') return [];
  return faults(path, text, ENVIRONMENT, 'reads the environment');
};

/** The files that receive, store and use the password cost of the tests. */
const KNOWS_TEST_COST = /^(?:hosts\/latchkey|platform\/system|\w+\/hashing)\.ts$/;

/** No product code lowers the cost of password hashes. */
export const hashesAtFullCost: Rule = ({ path, text }) =>
  isTest(path) || KNOWS_TEST_COST.test(path)
    ? []
    : faults(path, text, /\btestPasswordCost\b/g, 'changes the cost of password hashes');

const TEST = /^([ \t]*)test\((?:.*\);$|[\s\S]*?\n\1\}?\);$)/gm;
/** Calls that can fail a test: `assert`, and helpers whose names start with `expect`. */
const ASSERTION = /\b(?:assert\b|expect[A-Z])/;

/** Every test asserts: its reader sees what must hold. Waiting alone is no assertion. */
export const asserts: Rule = ({ path, text }) => {
  if (!path.endsWith('.test.ts')) return [];
  const plain = code(text);
  return [...plain.matchAll(TEST)]
    .filter(([body]) => !ASSERTION.test(body))
    .map(({ index }) => `${path}:${lineAt(plain, index)} the test asserts nothing`);
};

/** Biome detects the global `fetch`, but not the property of `globalThis`. */
export const callsOutThroughFetch: Rule = ({ path, text }) =>
  isTest(path) || path === 'platform/fetch.ts'
    ? []
    : faults(path, text, /\bglobalThis\s*(?:\.\s*fetch|\[)/g, 'calls out past platform/fetch.ts');

const LOADED_AT_START =
  /^(?:import|export) (?!type\b)[^'"(]*['"](?:@fastify\/swagger|@node-rs\/bcrypt|@simplewebauthn\/server|@xmldom\/xmldom|acme-client|age-encryption|css-tree|csv-parse|feed|image-size|iovalkey|libphonenumber-js|mmdb-lib|nodemailer|qrcode|rate-limiter-flexible|sms-segments-calculator|stripe|undici|xml-crypto|xml-encryption|yaml)(?:\/[^'"]*)?['"]/gm;

/** Libraries that take megabytes and that many processes never need. */
export const loadsAtFirstUse: Rule = ({ path, text }) =>
  isTest(path) ? [] : faults(path, text, LOADED_AT_START, 'loads the library at the start; load it at first use');

const REGISTERED = /\.(?:get|post|put|patch|delete|head|options|all)(?:<[^(]*>)?\(\s*['"`]\/|\.route\(\s*\{/g;

/**
 * The module that mounts routes, the description of mounted ones, and servers without sign-in: health and metrics, and the
 * redirect to https.
 */
const REGISTERING = ['platform/http-mount.ts', 'platform/openapi.ts', 'hosts/internal-host.ts', 'hosts/tls.ts'];

/** Routes are values that declare who may call them, and only `mount` registers them. */
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

/** The text with whole-line comments blanked; line numbers stay. */
function code(text: string): string {
  return text.replace(/^[ \t]*(?:\/\*[\s\S]*?\*\/|\/\/.*$)/gm, (comment) => comment.replace(/[^\n]/g, ' '));
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}

function isTest(path: string): boolean {
  return path.startsWith('tests/') || path.endsWith('.test.ts');
}

/** The part of a file: its first folder. Files directly in `server/` assemble the parts. */
function partOf(path: string): string {
  return path.includes('/') ? path.slice(0, path.indexOf('/')) : 'main';
}

/** The part that a specifier names: `#members` and `#members/x.ts` → `members`. */
function partIn(specifier: string): string {
  return /^#([^/]+)/.exec(specifier)?.[1] ?? '';
}
