import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import type { TSchema } from 'typebox';
import type { EventDefinition } from '#platform/event.ts';
import { PARTS } from './parts.ts';

const catalogue = new Map(PARTS.flatMap(({ events = {} }) => Object.entries<EventDefinition>(events)));
const PAGE = new URL('../../docs/events.md', import.meta.url);

const HEADER = `# Events

Every event type there is, what it means and what its \`data\` holds. Written from the catalogue that the emitting code is typed
by: run the tests with \`UPDATE_DOCS=1\` after changing it. The same, with the JSON Schema of the whole event, is served at
\`GET /v1/admin/webhooks/event-types\`.

An event also has \`id\`, \`type\`, \`occurredAt\`, \`timestamp\`, \`sequence\`, \`workspaceId\`, \`projectId\`, \`environment\`, \`actor\` and
\`correlationId\`: see [webhooks](webhooks.md), which also tells how to select types (\`user.*\`), check signatures and catch up.
`;

test('docs/events.md describes every event type as the catalogue does', async () => {
  const page = describeEvents();
  if (process.env['UPDATE_DOCS']) await writeFile(PAGE, page);
  assert.equal(page, await readFile(PAGE, 'utf8'), 'run again with UPDATE_DOCS=1 and look at the difference');
});

/** Generates the Markdown page that describes every event type. */
function describeEvents(): string {
  const groups = Map.groupBy([...catalogue.keys()].sort(), (type) => type.slice(0, type.indexOf('.')));
  const contents = [...groups].map(
    ([group, types]) =>
      `- \`${group}.*\`: ${types.map((type) => `[${type}](#${type.replaceAll('.', '')})`).join(', ')}`,
  );
  const chapters = [...groups].map(([group, types]) => `## ${group}\n\n${types.map(describeType).join('\n\n')}`);
  return `${[HEADER, contents.join('\n'), '', chapters.join('\n\n')].join('\n')}\n`;
}

function describeType(type: string): string {
  const { description, version, data, example } = catalogue.get(type) ?? assert.fail(type);
  const required: readonly string[] = data.required ?? [];
  const rows = Object.entries<TSchema>(data.properties).map(
    ([name, field]) => `| \`${name}\`${required.includes(name) ? '' : ' (optional)'} | ${typeOf(field)} |`,
  );
  return [
    `### ${type}`,
    '',
    `${description}${version === 1 ? '' : ` Version ${version}.`}`,
    ...(rows.length === 0 ? [] : ['', '| field | type |', '| --- | --- |', ...rows]),
    '',
    '```json',
    JSON.stringify(example, null, 2),
    '```',
  ].join('\n');
}

function typeOf(schema: unknown): string {
  const { type, anyOf, items, const: only, enum: values } = Object(schema);
  if (Array.isArray(anyOf)) return anyOf.map(typeOf).join(' or ');
  if (only !== undefined) return `\`${JSON.stringify(only)}\``;
  if (Array.isArray(values)) return values.map((value) => `\`${JSON.stringify(value)}\``).join(', ');
  if (items !== undefined) return `list of ${typeOf(items)}`;
  return type ?? 'any';
}
