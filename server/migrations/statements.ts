/** Lock modes of PostgreSQL that migrations take, from the weakest to the strongest (PostgreSQL manual §13.3.1). */
const LOCK_MODES = ['RowExclusiveLock', 'ShareLock', 'ShareRowExclusiveLock', 'AccessExclusiveLock'] as const;
type LockMode = (typeof LOCK_MODES)[number];

/** A lock on a table, or on the table of an index. */
export type Lock = { mode: LockMode } & ({ table: string } | { index: string });

type Statement = {
  /** Without its comments. */
  text: string;
  /** The index that it creates. */
  index: string | null;
  /** The reason why earlier versions keep working, from the comment `-- Earlier versions: …` in the statement. */
  survivedBecause: string | null;
};

type Effects = {
  locks: Lock[];
  /** The tables that it reads or writes as a whole, so that it takes longer the larger they are. */
  scans: string[];
  /** Why an earlier version may fail afterwards; null if it can't. */
  contracts: string | null;
};

const TOKENS = /--(?<comment>[^\n]*)|'(?:[^']|'')*'|\$(?<tag>\w*)\$.*?\$\k<tag>\$|[;\s\S]/gs;
const SURVIVED = /^\s*Earlier versions:\s*(?<reason>\S.*)$/;

/** The statements of a migration with their effects on the tables that existed before it. */
export function examine(sql: string): (Statement & Effects)[] {
  const made = new Set<string>();
  return statementsOf(sql).map((statement) => {
    const { locks, scans, contracts } = effectsOf(statement.text);
    const isNew = locks.length > 0 && locks.every((lock) => made.has('table' in lock ? lock.table : lock.index));
    for (const name of namesMadeBy(statement.text)) made.add(name);
    return {
      ...statement,
      locks: locks.filter((lock) => !made.has('table' in lock ? lock.table : lock.index)),
      scans: scans.filter((table) => !made.has(table)),
      contracts: isNew ? null : contracts,
    };
  });
}

function namesMadeBy(statement: string): string[] {
  const table = /^create table (?:if not exists )?(?<name>\w+)/.exec(plain(statement))?.groups?.['name'];
  return [table, indexMadeBy(statement)].filter((name) => typeof name === 'string');
}

function indexMadeBy(statement: string): string | null {
  const pattern = /^create (?:unique )?index (?:concurrently )?(?:if not exists )?(?<name>\w+)/;
  return pattern.exec(plain(statement))?.groups?.['name'] ?? null;
}

function statementsOf(sql: string): Statement[] {
  const statements: Omit<Statement, 'index'>[] = [];
  let current: Omit<Statement, 'index'> = { text: '', survivedBecause: null };
  for (const { 0: token, groups } of sql.matchAll(TOKENS)) {
    if (groups?.['comment'] !== undefined)
      current.survivedBecause ??= SURVIVED.exec(groups['comment'])?.groups?.['reason'] ?? null;
    else if (token !== ';') current.text += token;
    else {
      statements.push(current);
      current = { text: '', survivedBecause: null };
    }
  }
  return [...statements, current]
    .map(({ text, survivedBecause }) => ({ text: text.trim(), index: indexMadeBy(text), survivedBecause }))
    .filter(({ text }) => text !== '');
}

const NOTHING: Effects = { locks: [], scans: [], contracts: null };
const UNKNOWN = 'it is of a kind that nobody has classified';

type Groups = Record<string, string | undefined>;
type Kind = { pattern: RegExp; effects: (groups: Groups) => Effects };

/** The kinds of statements, on text in lower case without literals. Those that change the schema of a table come first. */
const KINDS: Kind[] = [
  {
    pattern: /^alter table (?:if exists )?(?:only )?(?<table>\w+) (?<actions>.*)$/,
    effects: ({ table = '', actions = '' }) =>
      merged(actionsOf(actions).map((action) => effectsOfAction(table, action))),
  },
  {
    pattern: /^create table (?:if not exists )?\w+ (?<columns>.*)$/,
    effects: ({ columns = '' }) => ({
      ...NOTHING,
      locks: referencedIn(columns),
      contracts: keepsFromDeleting(columns),
    }),
  },
  {
    pattern: /^create (?<unique>unique )?index (?<concurrently>concurrently )?(?:if not exists )?\w+ on (?<table>\w+)/,
    effects: ({ unique, concurrently, table = '' }) => ({
      locks: concurrently === undefined ? [{ table, mode: 'ShareLock' }] : [],
      scans: [table],
      contracts: unique === undefined ? null : 'it refuses rows that an earlier version may write',
    }),
  },
  {
    pattern: /^drop index (?<concurrently>concurrently )?(?:if exists )?(?<index>\w+)$/,
    effects: ({ concurrently, index = '' }) => ({
      ...NOTHING,
      locks: concurrently === undefined ? [{ index, mode: 'AccessExclusiveLock' }] : [],
      contracts: 'an earlier version may name it in "on conflict", or be slow without it',
    }),
  },
  {
    pattern: /^drop table (?:if exists )?(?<table>\w+)/,
    effects: ({ table = '' }) => ({
      ...NOTHING,
      locks: [{ table, mode: 'AccessExclusiveLock' }],
      contracts: 'an earlier version uses the table',
    }),
  },
  {
    pattern: /^(?:update|delete from) (?:only )?(?<table>\w+)/,
    effects: ({ table = '' }) => ({ ...NOTHING, locks: [{ table, mode: 'RowExclusiveLock' }], scans: [table] }),
  },
  {
    pattern: /^insert into (?<table>\w+)(?<rest>.*)$/,
    effects: ({ table = '', rest = '' }) => ({
      ...NOTHING,
      locks: [{ table, mode: 'RowExclusiveLock' }],
      scans: [...rest.matchAll(/\b(?:from|join) (?<read>\w+)/g)].map(({ groups }) => groups?.['read'] ?? ''),
    }),
  },
  { pattern: /^create (?:or replace )?(?:function|view) |^comment on /, effects: () => NOTHING },
  {
    pattern: /^create (?:or replace )?(?:constraint )?trigger .* on (?<table>\w+)/,
    effects: ({ table = '' }) => ({
      ...NOTHING,
      locks: [{ table, mode: 'ShareRowExclusiveLock' }],
      contracts: 'it may refuse what an earlier version writes',
    }),
  },
];

function effectsOf(statement: string): Effects {
  const text = plain(statement);
  for (const { pattern, effects } of KINDS) {
    const { groups, 0: found } = pattern.exec(text) ?? {};
    if (found !== undefined) return effects(groups ?? {});
  }
  return { ...NOTHING, contracts: UNKNOWN };
}

/** In lower case, on one line, with empty literals. */
function plain(statement: string): string {
  return statement
    .replaceAll(/'(?:[^']|'')*'/g, "''")
    .replaceAll(/\$(\w*)\$.*?\$\1\$/gs, '$$$$')
    .replaceAll(/\s+/g, ' ')
    .replaceAll('public.', '')
    .trim()
    .toLowerCase();
}

function merged(all: Effects[]): Effects {
  const reasons = all.flatMap(({ contracts }) => (contracts === null ? [] : [contracts]));
  return {
    locks: all.flatMap(({ locks }) => locks),
    scans: [...new Set(all.flatMap(({ scans }) => scans))],
    contracts: reasons[0] ?? null,
  };
}

/** The actions of an ALTER TABLE, which commas outside of parentheses separate. */
function actionsOf(text: string): string[] {
  let depth = 0;
  const actions = [''];
  for (const character of text) {
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (character === ',' && depth === 0) actions.push('');
    else actions.push((actions.pop() ?? '') + character);
  }
  return actions.map((action) => action.trim());
}

const REFERENCE = /\breferences (?<table>\w+)(?: \([^)]*\))?(?<cleared> on delete (?:cascade|set))?/g;

/** Why an earlier version, which does not know the referring rows, may fail to delete a row that they refer to. */
function keepsFromDeleting(text: string): string | null {
  const kept = [...text.matchAll(REFERENCE)].find(({ groups }) => groups?.['cleared'] === undefined);
  return kept ? `an earlier version cannot delete rows of ${kept.groups?.['table']} that are referred to` : null;
}

function referencedIn(text: string): Lock[] {
  return [...text.matchAll(REFERENCE)].map(({ groups }) => ({
    table: groups?.['table'] ?? '',
    mode: 'ShareRowExclusiveLock',
  }));
}

/** The beginning of an action that adds a column. */
const COLUMN = String.raw`^add (?:column )?(?!(?:constraint|foreign|unique|primary|check|exclude)\b)\w+ `;

/** How one action of ALTER TABLE affects earlier versions, and whether it reads or rewrites the whole table. */
const ACTIONS: { pattern: RegExp; scans: boolean; contracts: string | null }[] = [
  {
    pattern: new RegExp(String.raw`${COLUMN}(?!.*\bdefault\b).*\bnot null\b`),
    scans: false,
    contracts: 'an earlier version inserts no value for the column',
  },
  {
    pattern: new RegExp(String.raw`${COLUMN}.*(?:\bunique\b|\bprimary key\b)`),
    scans: true,
    contracts: 'it refuses rows that an earlier version may write',
  },
  {
    pattern: new RegExp(
      String.raw`${COLUMN}.*(?:\bcheck\b|\bgenerated\b|\breferences\b|\bdefault (?:\w*random\w*|clock_timestamp)\()`,
    ),
    scans: true,
    contracts: null,
  },
  { pattern: new RegExp(COLUMN), scans: false, contracts: null },
  {
    pattern: /^add .*\bnot valid$/,
    scans: false,
    contracts: 'it refuses rows that an earlier version may write',
  },
  { pattern: /^add /, scans: true, contracts: 'it refuses rows that an earlier version may write' },
  { pattern: /^validate constraint /, scans: true, contracts: null },
  { pattern: /^drop constraint /, scans: false, contracts: 'an earlier version may name it in "on conflict"' },
  { pattern: /^drop /, scans: false, contracts: 'an earlier version uses the column' },
  { pattern: /^rename /, scans: false, contracts: 'an earlier version uses the old name' },
  { pattern: /^alter (?:column )?\w+ (?:drop not null|set default)/, scans: false, contracts: null },
  {
    pattern: /^alter (?:column )?\w+ set not null/,
    scans: true,
    contracts: 'an earlier version may write no value into the column',
  },
  {
    pattern: /^alter (?:column )?\w+ (?:set data )?type /,
    scans: true,
    contracts: 'an earlier version reads and writes the old type',
  },
];

function effectsOfAction(table: string, action: string): Effects {
  const known = ACTIONS.find(({ pattern }) => pattern.test(action));
  const foreignKey = /^add (?:constraint \w+ )?foreign key/.test(action);
  const validates = /^validate /.test(action);
  const mode = foreignKey ? 'ShareRowExclusiveLock' : 'AccessExclusiveLock';
  return {
    locks: [...(validates ? [] : [{ table, mode } as const]), ...referencedIn(action)],
    scans: known?.scans ? [table] : [],
    contracts: known ? (known.contracts ?? keepsFromDeleting(action)) : UNKNOWN,
  };
}
