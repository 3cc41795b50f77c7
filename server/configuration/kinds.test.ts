import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { describe, test } from 'node:test';
import { dereferenced, printed, sorted } from '#tests/openapi.ts';
import type { Kind } from './kind.ts';
import { kinds, namesInFiles } from './kinds.ts';

type Schema = { [name: string]: unknown };

const description = dereferenced(
  JSON.parse(await readFile(resolve(import.meta.dirname, '../../docs/openapi/api.json'), 'utf8')),
);
const FOLDER = resolve(import.meta.dirname, 'schemas');

/** Operations of the admin API that write something files do not hold, with the reason. */
const ELSEWHERE: readonly { path: RegExp; why: string }[] = [
  { path: /^\/v1\/admin\/(members|invitations|sessions|impersonation)/, why: 'people' },
  { path: /^\/v1\/admin\/organizations/, why: 'customers of the project, and what they configure themselves' },
  { path: /^\/v1\/admin\/authorization\/(check|check-batch|relations)$/, why: 'checks and data' },
  { path: /^\/v1\/admin\/billing\/addons\/sms\/(cancel|resume|subscribe)$/, why: 'contracts' },
  { path: /^\/v1\/admin\/status\/(incidents|maintenances|subscribers)/, why: 'what happens, and people' },
  { path: /^\/v1\/admin\/applications\/registration-tokens/, why: 'secrets that are shown once' },
  { path: /^\/v1\/admin\/branding\/images/, why: 'files' },
  { path: /^\/v1\/admin\/events$/, why: 'an action' },
  {
    path: /\/(check|preview|recover|replay|rotate|test|resume|pause|verify|enable|disable|secrets|activate|keys)(\/|$)/,
    why: 'actions and secrets',
  },
];

function propertiesOf(method: string, path: string): Schema {
  const schema = description.paths[path]?.[method]?.requestBody?.content['application/json'].schema;
  return schema?.properties ?? {};
}

/** The operations that write records of a kind: `[method, path]`. */
function writesOf(kind: Kind): [string, string][] {
  const below = Object.keys(description.paths).filter((path) => path.startsWith(`${kind.path}/{`));
  const record = kind.id.length === 0 ? kind.path : below.find((path) => path.split('{').length === kind.id.length + 1);
  assert.ok(record, kind.name);
  if (kind.bound)
    return [
      ['post', kind.path],
      ['post', `${record}/bindings`],
    ];
  if (kind.replaced) return [['put', record]];
  if (kind.makesPage) return [['put', record]];
  if (kind.key.length === 0) return [['patch', record]];
  const changes = (kind.changes ?? []).filter(({ method }) => method === 'PUT');
  return [
    ['post', kind.path],
    ['patch', record],
    ...changes.map(({ path }): [string, string] => ['put', record + path]),
  ];
}

/** The fields that the API takes, with those of objects of which only a part is changed. */
function writableFields(kind: Kind): Set<string> {
  const names = writesOf(kind).flatMap(([method, path]) => {
    const properties = propertiesOf(method, path);
    const inner = (kind.merged ?? []).flatMap((name) =>
      Object.keys(objectIn(properties[name])['properties'] ?? {}).map((one) => `${name}.${one}`),
    );
    return [...Object.keys(properties), ...inner];
  });
  return new Set(names);
}

/** The object among the choices of a schema. */
function objectIn(schema: unknown): Schema {
  const { anyOf, ...own } = Object(schema);
  return Array.isArray(anyOf) ? Object(anyOf.find((one) => Object(one).type === 'object')) : own;
}

const REFERENCE = { $ref: '#/$defs/reference' };

/** The schema of a value in files, where texts may be references. */
function inFiles(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(inFiles);
  if (typeof schema !== 'object' || schema === null) return schema;
  const mapped = Object.fromEntries(Object.entries(schema).map(([name, inner]) => [name, inFiles(inner)]));
  const isText =
    mapped['type'] === 'string' || (Array.isArray(mapped['enum']) && typeof mapped['enum'][0] === 'string');
  const limited = ['pattern', 'format', 'enum', 'maxLength'].some((name) => name in mapped);
  return isText && limited && !('$ref' in mapped) ? { anyOf: [mapped, REFERENCE] } : mapped;
}

/** The schema of the natural keys in place of an id, or of a list of ids. */
function referenceTo(schema: unknown): Schema {
  const key = { type: 'string', minLength: 1 };
  const { type, maxItems } = Object(schema);
  return type === 'array' ? { type, maxItems, uniqueItems: true, items: key } : key;
}

/** The schema of a kind's file: a list of records, or one. */
function schemaOf(kind: Kind): Schema {
  const writes = writesOf(kind);
  const given = Object.assign({}, ...writes.map(([method, path]) => propertiesOf(method, path)));
  const fixed = kind.replaced ? Object.fromEntries(kind.key.map((name) => [name, { type: 'string' }])) : {};
  const own = kind.bound
    ? { host: given.host, purposes: { type: 'array', uniqueItems: true, items: given.purpose } }
    : { ...fixed, ...given };
  const properties = Object.fromEntries(
    [...kind.key, ...kind.fields].map((field) => {
      const reference = kind.references?.find(({ at }) => at === field);
      return reference ? [reference.as, referenceTo(own[field])] : [field, inFiles(own[field])];
    }),
  );
  for (const { at, as } of kind.references ?? []) renameInside(properties, at, as);
  for (const path of Object.keys(kind.left ?? {})) removeInside(properties, path);
  const [[method, path] = ['', '']] = writes;
  const required: string[] =
    description.paths[path]?.[method]?.requestBody?.content['application/json'].schema.required ?? [];
  const neededByNew =
    kind.key.length === 0
      ? []
      : required
          .map((name) => kind.references?.find(({ at }) => at === name)?.as ?? name)
          .filter((name) => !kind.key.includes(name));
  const record = { type: 'object', additionalProperties: false, required: kind.key, neededByNew, properties };
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: kind.title,
    ...(kind.comment !== undefined && { description: kind.comment }),
    ...(kind.key.length === 0
      ? { $ref: '#/$defs/record' }
      : {
          anyOf: [{ type: 'array', items: { $ref: '#/$defs/record' } }, { $ref: '#/$defs/record' }],
        }),
    $defs: { record, reference: { type: 'string', pattern: '\\$\\{(env|file):[^}]+\\}' } },
  };
}

function partsOf(path: string): [string, string] {
  const [first = '', last = ''] = path.split('.');
  return [first, last];
}

function renameInside(properties: Schema, at: string, as: string): void {
  const [first, last] = partsOf(at);
  const inner = Object(objectIn(properties[first])['properties']);
  if (last === '' || !(last in inner)) return;
  delete inner[last];
  inner[as] = { anyOf: [{ type: 'string' }, { type: 'null' }] };
}

function removeInside(properties: Schema, path: string): void {
  const [first, last] = partsOf(path);
  const inner = Object(objectIn(properties[first])['properties']);
  delete inner[last];
}

const TERRAFORM = resolve(import.meta.dirname, '../../docs/terraform.md');

const snake = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const listed = (names: readonly string[]) => names.map((name) => `\`${snake(name)}\``).join(', ') || '–';

/** A kind as a resource of Terraform: a row of the table in the documentation. */
function resourceOf(kind: Kind): string {
  const { name, key, id, fixed = [], secrets = [], redacts = [], issued, references = [] } = kind;
  const resource = `latchkey_${(key.length === 0 ? name : name.replace(/s$/, '')).replaceAll('-', '_')}`;
  const named = (field: string) => references.find(({ at }) => at === field)?.as ?? field;
  const sensitive = [...secrets.map(({ field }) => field), ...redacts];
  const cells = [
    `\`${resource}\``,
    listed(key),
    listed(fixed.map(named)),
    references.map(({ at, as, by }) => `\`${snake(at.replace(/\w+$/, as))}\` (${by})`).join(', ') || '–',
    listed(sensitive),
    listed([...id.filter((field) => !key.includes(field)), ...(issued?.fields ?? [])]),
  ];
  return `| ${cells.join(' | ')} |`;
}

const HEAD = `| resource | import id | replaced when changed | references (by) | sensitive arguments | results |
|---|---|---|---|---|---|`;

describe('the table of kinds', () => {
  test('is the data model for Terraform; UPDATE_SCHEMAS=1 writes it', async () => {
    const before = await readFile(TERRAFORM, 'utf8');
    const table = `<!-- resources -->\n${[HEAD, ...kinds.map(resourceOf)].join('\n')}\n<!-- /resources -->`;
    const text = before.replace(/<!-- resources -->.*<!-- \/resources -->/s, () => table);
    if (process.env['UPDATE_SCHEMAS']) await writeFile(TERRAFORM, text);
    assert.equal(text, await readFile(TERRAFORM, 'utf8'));
    assert.equal(new Set(kinds.map((kind) => resourceOf(kind).split('|')[1])).size, kinds.length);
  });

  for (const kind of kinds) {
    test(`${kind.name}: files hold every field that the admin API takes`, () => {
      const known = [...kind.key, ...kind.fields, ...Object.keys(kind.left ?? {}), ...(kind.bound ? ['purpose'] : [])];
      const missing = [...writableFields(kind)].filter(
        (name) => !known.includes(name) && !(name.includes('.') && kind.fields.includes(name.split('.')[0] ?? '')),
      );
      assert.deepEqual(missing, [], `add them to ${kind.name} in kinds.ts, or to "left" with the reason`);
      const taken = writableFields(kind);
      const unknown = kind.fields.filter((name) => !taken.has(name) && !kind.bound);
      assert.deepEqual(unknown, [], 'the admin API takes no such field');
    });

    test(`${kind.name}: the schema is that of the admin API; UPDATE_SCHEMAS=1 writes it`, async () => {
      const file = resolve(FOLDER, `${kind.name}.json`);
      const text = `${printed(sorted(schemaOf(kind)))}\n`;
      if (process.env['UPDATE_SCHEMAS']) await writeFile(file, text);
      assert.equal(text, await readFile(file, 'utf8'));
      const { $defs } = JSON.parse(text);
      assert.deepEqual(Object.keys($defs.record.properties).sort(), namesInFiles(kind).sort());
    });
  }

  test('a planted field of the API is found', () => {
    const [kind] = kinds;
    assert.ok(kind);
    const { fields } = kind;
    const narrower = { ...kind, fields: [] };
    assert.ok([...writableFields(narrower)].some((name) => fields.includes(name)));
  });

  test('every other operation that writes is left out for a reason', () => {
    const carried = new Set(kinds.flatMap((kind) => writesOf(kind).map((one) => one.join(' '))));
    const writing = Object.entries<Schema>(description.paths).flatMap(([path, operations]) =>
      ['post', 'put', 'patch']
        .filter((method) => path.startsWith('/v1/admin/') && Object(operations[method]).requestBody)
        .map((method) => `${method} ${path}`),
    );
    const left = writing.filter((one) => !carried.has(one));
    const unknown = left.filter((one) => !ELSEWHERE.some(({ path }) => path.test(one.split(' ')[1] ?? '')));
    assert.deepEqual(unknown, [], 'add a kind, or a reason to ELSEWHERE');
  });

  test('there is a schema for every kind and no other', async () => {
    const names = (await readdir(FOLDER)).sort();
    assert.deepEqual(names, kinds.map(({ name }) => `${name}.json`).sort());
  });
});
