import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { LAYOUT, UNDIVIDED } from './layout.ts';

type Table = {
  name: string;
  columns: string[];
  unique: Index[];
  references: { name: string; to: string; columns: string[] }[];
};
type Index = { name: string; columns: string[] };

const SCHEMA = readFileSync(new URL('./schema.sql', import.meta.url), 'utf8');

/** The tables of a dump with their unique indexes and foreign keys, without what a divided installation does not have. */
function tablesIn(schema: string): Table[] {
  const dropped = UNDIVIDED.flatMap((statement) => /(?:index|constraint) if exists (\w+)/.exec(statement)?.[1] ?? []);
  const kept = ({ name }: { name: string }) => !dropped.includes(name);
  const columnsOf = (list = '') => list.split(',').map((column) => column.trim().split(' ')[0] ?? '');
  return schema
    .split(/^create table /m)
    .slice(1)
    .map((text) => ({
      name: text.slice(0, text.indexOf(' ')),
      columns: [...text.matchAll(/^ {2}(\w+) (?!CHECK|PRIMARY|UNIQUE|FOREIGN)/gm)].map(([, column = '']) => column),
      unique: [
        ...[...text.matchAll(/constraint (\w+) (?:PRIMARY KEY|UNIQUE) \(([^)]*)\)/g)],
        ...[...text.matchAll(/CREATE UNIQUE INDEX (\w+) ON \S+ USING btree \(([^)]*)\)/g)],
      ]
        .map(([, name = '', columns]) => ({ name, columns: columnsOf(columns) }))
        .filter(kept),
      references: [...text.matchAll(/constraint (\w+) FOREIGN KEY \(([^)]*)\) REFERENCES (\w+)/g)]
        .map(([, name = '', columns, to = '']) => ({ name, to, columns: columnsOf(columns) }))
        .filter(kept),
    }));
}

/** What keeps tables from being divided by workspace. */
function faultsOf(tables: readonly Table[]): string[] {
  const kindOf = (name: string) => LAYOUT.get(name)?.kind;
  return tables.flatMap(({ name, columns, unique, references }) => {
    const kind = kindOf(name);
    if (kind === undefined) return [`${name} stands in no list of layout.ts`];
    const outwards = references.filter(({ to, columns: [first] }) =>
      kind === 'distributed' ? kindOf(to) === 'distributed' && first !== 'workspace_id' : kindOf(to) === 'distributed',
    );
    const apart = kind === 'distributed' ? unique.filter((index) => index.columns[0] !== 'workspace_id') : [];
    return [
      ...(kind === 'distributed' && !columns.includes('workspace_id') ? [`${name} has no workspace_id`] : []),
      ...apart.map((index) => `${index.name} does not begin with workspace_id`),
      ...outwards.map((key) => `${key.name} leads out of the workspace`),
    ];
  });
}

describe('the layout of a divided installation', () => {
  test('every table is in it, and every divided table can be divided', () => {
    const tables = tablesIn(SCHEMA);
    assert.ok(tables.length > 100);
    assert.deepEqual(faultsOf(tables), []);
    const names = new Set(tables.map(({ name }) => name));
    assert.deepEqual(
      [...LAYOUT.keys()].filter((name) => !names.has(name)),
      [],
    );
  });

  test('planted faults are found', () => {
    const table = (text: string) => faultsOf(tablesIn(`create table ${text}`));
    assert.deepEqual(table('newcomers (\n  workspace_id text not null\n);'), [
      'newcomers stands in no list of layout.ts',
    ]);
    assert.deepEqual(table('members (\n  id text not null,\n  constraint members_pkey PRIMARY KEY (id)\n);'), [
      'members has no workspace_id',
      'members_pkey does not begin with workspace_id',
    ]);
    const key = 'constraint members_fk FOREIGN KEY (user_id, workspace_id) REFERENCES users(id, workspace_id)';
    assert.deepEqual(table(`members (\n  workspace_id text not null,\n  ${key}\n);`), [
      'members_fk leads out of the workspace',
    ]);
    const local = 'constraint backups_fk FOREIGN KEY (workspace_id) REFERENCES users(workspace_id)';
    assert.deepEqual(table(`backups (\n  name text not null,\n  ${local}\n);`), [
      'backups_fk leads out of the workspace',
    ]);
    const index = 'CREATE UNIQUE INDEX users_mail ON public.users USING btree (email);';
    assert.deepEqual(table(`users (\n  workspace_id text not null\n);\n${index}`), [
      'users_mail does not begin with workspace_id',
    ]);
  });
});
