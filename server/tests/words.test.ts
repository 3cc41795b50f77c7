import assert from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { describe, test } from 'node:test';

const ROOT = resolve(import.meta.dirname, '../..');

type Banned = { word: RegExp; use: string };

/** Names that docs/glossary.md replaces, for identifiers and the OpenAPI descriptions. */
const NAMES: readonly Banned[] = [
  { word: /^MOST(_|$)/, use: 'MAX_' },
  {
    word: /(^|_)(some|any|every)body(_|[A-Z]|$)|(^|[a-z])(Some|Any|Every)body/,
    use: 'the role: user, member, operator',
  },
  { word: /(^|[a-z])Answers?$/, use: 'Response' },
  { word: /^answer$/, use: 'response, result' },
  { word: /^forget[A-Z]/, use: 'remove for rows, drop for caches' },
  { word: /whoever/i, use: 'the role: user, member, operator' },
  { word: /organisation/i, use: 'organization' },
  { word: /tenant_?id/i, use: 'workspaceId' },
  { word: /^(person|customer)_?id$/i, use: 'userId' },
  { word: /wished/i, use: 'requested' },
  { word: /^(tell|told)[A-Z]\w*(Problem|Conflict|Done)/, use: 'notify' },
];

/** File names that do not say what the file contains. */
const FILES: readonly Banned[] = [
  { word: /^(utils?|helpers?|common|misc|managers?|services?|impl)\./, use: 'the noun of its content' },
];

/** Phrases that are hard to read, for texts on screen and in mails. */
const SCREEN: readonly Banned[] = [
  { word: /\bcan not\b/, use: 'cannot' },
  { word: /\b[Bb]egun\b/, use: 'started' },
  { word: /\bmeanwhile\b/, use: 'since, at the same time' },
  { word: /\banew\b/, use: 'again' },
  { word: /\b[Ww]hoever\b/, use: 'anyone who, people who' },
  { word: /\b[Ss]omebody else\b/, use: 'someone else' },
  { word: /\bat once\b/, use: 'immediately' },
  { word: /\b(is|are|was|were) told\b/, use: 'is notified' },
  { word: /\b(is|are) as (it was|they were)\b/, use: 'undone' },
  { word: /\bworked off\b/, use: 'processed' },
  { word: /\bhold(s)? for\b/, use: 'lifetime' },
  { word: /\bwhat became of\b/i, use: 'result' },
];

/** Phrases that have to be read twice, for comments, names of tests, API descriptions and documentation. */
const PROSE: readonly Banned[] = [
  { word: /\bcan not\b/, use: 'cannot' },
  { word: /\b[Ww]hoever\b/, use: 'the role, or a person who' },
  { word: /\bany more\b(?! than)/, use: 'no longer' },
  { word: /\banew\b/, use: 'again' },
  { word: /\bworked off\b/, use: 'processed' },
  { word: /\b[Ww]hat became of\b/, use: 'the result' },
];

/** This file, which plants the words, and generated code. */
const EXCEPTIONS = ['server/tests/words.test.ts', 'console/src/api/schema.ts'];

async function filesOf(pattern: string): Promise<string[]> {
  const exclude = (path: string) => /node_modules|(?:dist|generated)$/.test(path);
  const paths = (await Array.fromAsync(glob(pattern, { cwd: ROOT, exclude }))).map((path) =>
    path.replaceAll('\\', '/'),
  );
  return paths.filter((path) => !EXCEPTIONS.includes(path)).sort();
}

const read = (path: string) => readFile(join(ROOT, path), 'utf8');

/** Drops comments, so that only code and texts are left. */
const withoutComments = (source: string) =>
  source.replace(/\/\*[\s\S]*?\*\//g, ' ').replace(/(^|[\s;{(,])\/\/.*$/gm, '$1');

/** The comments of a source, and the names of its tests. */
const proseOf = (source: string): string[] =>
  [
    ...source.matchAll(/\/\*[\s\S]*?\*\//g),
    ...source.matchAll(/(?:^|[\s;{(,])\/\/.*$/gm),
    ...source.matchAll(/\b(?:test|describe)\(\s*(['"`]).*?\1,/g),
  ].map(([text]) => text);

/** Every identifier of a source. */
function identifiersOf(source: string): Set<string> {
  const code = withoutComments(source).replace(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g, ' ');
  return new Set(code.match(/[A-Za-z_$][\w$]*/g));
}

/** The names in an OpenAPI description: parameters and properties. */
function apiNamesOf(description: unknown): string[] {
  if (Array.isArray(description)) return description.flatMap(apiNamesOf);
  if (typeof description !== 'object' || description === null) return [];
  return Object.entries(description).flatMap(([key, value]) => {
    const names = key === 'name' && typeof value === 'string' ? [value] : [];
    const properties = key === 'properties' && typeof value === 'object' ? Object.keys(value ?? {}) : [];
    return [...names, ...properties, ...apiNamesOf(value)];
  });
}

/** The banned words in some names or texts, each with the word to use instead. */
const bannedIn = (texts: Iterable<string>, list: readonly Banned[]): string[] =>
  [...texts].flatMap((text) =>
    list.flatMap(({ word, use }) => {
      const found = word.exec(text)?.[0];
      return found === undefined ? [] : [`${text.trim().slice(0, 80)}: use ${use}`];
    }),
  );

async function bannedInFiles(patterns: readonly string[], find: (source: string) => string[]): Promise<string[]> {
  const paths = (await Promise.all(patterns.map(filesOf))).flat();
  assert.ok(paths.length > 0, `no file matches ${patterns.join(', ')}`);
  const found = await Promise.all(
    paths.map(async (path) => find(await read(path)).map((fault) => `${path}: ${fault}`)),
  );
  return found.flat();
}

const CODE = ['server/**/*.ts', 'console/src/**/*.{ts,tsx}', 'sdk/*/src/**/*.ts', 'bench/**/*.ts'];
const TEXTS = [
  'console/src/**/*.tsx',
  'server/{pages,messages}/language-en.ts',
  'server/status/words-en.ts',
  'server/platform/problem.ts',
];

const inNames = (source: string) => bannedIn(identifiersOf(source), NAMES);
const inProse = (source: string) => bannedIn(proseOf(source), PROSE);
const inLines = (text: string) => bannedIn(text.split('\n'), PROSE);
const inTexts = (source: string) => bannedIn(withoutComments(source).split('\n'), SCREEN);

describe('one word per thing (docs/glossary.md)', () => {
  test('no identifier uses a banned synonym', async () => {
    assert.deepEqual(await bannedInFiles(CODE, inNames), []);
  });

  test('every file name says what the file contains', async () => {
    const paths = (await Promise.all(CODE.map(filesOf))).flat();
    assert.deepEqual(
      bannedIn(
        paths.map((path) => basename(path)),
        FILES,
      ),
      [],
    );
  });

  test('no OpenAPI name uses a banned synonym', async () => {
    assert.deepEqual(
      await bannedInFiles(['docs/openapi/*.json'], (text) => bannedIn(apiNamesOf(JSON.parse(text)), NAMES)),
      [],
    );
  });

  test('no comment and no name of a test uses a banned phrase', async () => {
    assert.deepEqual(await bannedInFiles(CODE, inProse), []);
  });

  test('no API description and no documentation uses a banned phrase', async () => {
    assert.deepEqual(await bannedInFiles(['docs/openapi/*.json', 'docs/**/*.md', '*.md'], inLines), []);
  });

  test('no text on screen or in a mail uses a banned phrase', async () => {
    assert.deepEqual(await bannedInFiles(TEXTS, inTexts), []);
  });
});

describe('a planted word is found', () => {
  for (const name of [
    'MOST_ROWS',
    'SessionAnswer',
    'answer',
    'forgetDevices',
    'MOST',
    'inviteSomebody',
    'somebody_id',
    'organisationId',
    'tenantId',
    'personId',
    'isWished',
  ])
    test(`the name ${name}`, () => {
      assert.equal(inNames(`const ${name} = 1;`).length, 1);
      assert.equal(bannedIn(apiNamesOf({ properties: { [name]: {} } }), NAMES).length, 1);
    });

  for (const name of ['utils.ts', 'helpers.ts', 'manager.ts'])
    test(`the file ${name}`, () => assert.equal(bannedIn([name], FILES).length, 1));

  for (const text of ['It can not be sent', 'Begun', 'changed this meanwhile', 'Nobody is told', 'Links hold for'])
    test(`the text ${text}`, () => assert.equal(inTexts(`title: '${text}',`).length, 1));

  for (const text of ['it can not go on', 'Whoever asks', 'not valid any more', 'begins anew', 'what became of it'])
    test(`the prose ${text}`, () => {
      for (const source of [`/** ${text} */`, `const a = 1; // ${text}`, `test('${text}', () => {});`])
        assert.equal(inProse(source).length, 1, source);
      assert.equal(inLines(`A line.\n${text}`).length, 1);
    });

  test('but not in a comment, nor a name in a text', () => {
    assert.deepEqual(inNames("// somebody_id\n/* MOST_ROWS */ const url = 'https://example.com/MOST_ROWS';"), []);
    assert.deepEqual(inTexts('// Begun meanwhile'), []);
  });
});
