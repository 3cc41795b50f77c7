import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { describe, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { breakingChanges } from '#tests/compatibility.ts';
import type { TestResponse } from '#tests/harness.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** A description with every kind of promise that a client may rely on. */
const DESCRIPTION = {
  components: {
    schemas: { ProblemDetails: { type: 'object', properties: { traceId: { type: 'string' } }, required: ['traceId'] } },
  },
  paths: {
    '/v1/things/{thingId}': {
      patch: {
        security: [{ bearer: ['things:write'] }],
        parameters: [
          { in: 'path', name: 'thingId', required: true, schema: { type: 'string' } },
          { in: 'query', name: 'view', required: false, schema: { enum: ['short', 'long'] } },
        ],
        requestBody: {
          required: false,
          content: {
            'application/json': {
              schema: {
                type: 'object',
                additionalProperties: false,
                required: ['name'],
                properties: {
                  name: { type: 'string', maxLength: 100 },
                  kind: { enum: ['small', 'large'] },
                  tags: { type: 'array', items: { type: 'string' } },
                  labels: { type: 'object', additionalProperties: { type: 'string' } },
                  metadata: { type: 'object' },
                  parent: { anyOf: [{ type: 'string' }, { type: 'null' }] },
                },
              },
            },
          },
        },
        responses: {
          200: {
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  required: ['id', 'kind'],
                  properties: {
                    id: { type: 'string', format: 'uuid' },
                    kind: { enum: ['small', 'large'] },
                    object: { const: 'thing' },
                    note: { type: 'string' },
                    owner: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
                  },
                },
              },
              'text/csv': {},
            },
          },
          404: { content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/ProblemDetails' } } } },
        },
      },
    },
  },
};

/** The parts of a description that the rows of the tables change. */
function partsOf(document: TestResponse['body']): Record<string, TestResponse['body']> {
  const item = document.paths['/v1/things/{thingId}'];
  const operation = item.patch;
  const body = operation.requestBody.content['application/json'].schema;
  const response = operation.responses['200'].content['application/json'].schema;
  return { document, item, operation, body, response, problem: document.components.schemas.ProblemDetails };
}

type Row = readonly [change: string, make: (parts: ReturnType<typeof partsOf>) => void];

const BREAKING: readonly Row[] = [
  ['is removed', ({ item }) => delete item.patch],
  ['asks for another permission', ({ operation }) => (operation.security = [{ bearer: ['things:admin'] }])],
  ['asks for a fresh proof', ({ operation }) => (operation['x-step-up'] = true)],
  ['query parameter view is removed', ({ operation }) => operation.parameters.pop()],
  ['query parameter view is required', ({ operation }) => (operation.parameters[1].required = true)],
  ['path parameter 1 has a stricter maxLength', ({ operation }) => (operation.parameters[0].schema.maxLength = 10)],
  ['request body is required', ({ operation }) => (operation.requestBody.required = true)],
  ['request as application/json is removed', ({ operation }) => (operation.requestBody.content = { 'text/csv': {} })],
  ['request.tags is required', ({ body }) => body.required.push('tags')],
  ['request.tags is removed', ({ body }) => delete body.properties.tags],
  ['request.tags[] changes its type', ({ body }) => (body.properties.tags.items.type = 'integer')],
  ['request.labels[] changes its type', ({ body }) => (body.properties.labels.additionalProperties.type = 'integer')],
  ['request.metadata takes no other properties', ({ body }) => (body.properties.metadata.additionalProperties = false)],
  ['request.kind no longer takes large', ({ body }) => body.properties.kind.enum.pop()],
  ['request.name no longer takes every value', ({ body }) => (body.properties.name.enum = ['one'])],
  ['request.name has a stricter maxLength', ({ body }) => (body.properties.name.maxLength = 99)],
  ['request.name has a stricter minLength', ({ body }) => (body.properties.name.minLength = 1)],
  ['request.name has a stricter pattern', ({ body }) => (body.properties.name.pattern = '^[a-z]')],
  ['request.parent is no longer null', ({ body }) => (body.properties.parent = { type: 'string' })],
  ['response 200 is removed', ({ operation }) => delete operation.responses['200']],
  ['response 200 as text/csv is removed', ({ operation }) => delete operation.responses['200'].content['text/csv']],
  ['response 200.id is removed', ({ response }) => delete response.properties.id],
  ['response 200.id is optional', ({ response }) => response.required.shift()],
  ['response 200.id changes its type', ({ response }) => (response.properties.id.type = 'integer')],
  ['response 200.object has another const', ({ response }) => (response.properties.object.const = 'item')],
  ['response 200.id has another format', ({ response }) => delete response.properties.id.format],
  [
    'response 200.note may be null',
    ({ response }) => (response.properties.note = { anyOf: [{ type: 'string' }, { type: 'null' }] }),
  ],
  ['response 200.owner.name is removed', ({ response }) => delete response.properties.owner.properties.name],
];

const COMPATIBLE: readonly Row[] = [
  ['a new operation', ({ item }) => (item.get = item.patch)],
  [
    'another name of a path parameter',
    ({ document, item }) => {
      document.paths = { '/v1/things/{id}': item };
      item.patch.parameters[0].name = 'id';
    },
  ],
  ['no permission any more', ({ operation }) => delete operation.security],
  ['a new optional parameter', ({ operation }) => operation.parameters.push({ in: 'query', name: 'q', schema: {} })],
  ['a new optional property of a request', ({ body }) => (body.properties.color = { type: 'string' })],
  ['an optional property of a request', ({ body }) => body.required.pop()],
  ['a new value of a request', ({ body }) => body.properties.kind.enum.push('huge')],
  ['a looser limit of a request', ({ body }) => delete body.properties.name.maxLength],
  ['null in a request', ({ body }) => (body.properties.name = { anyOf: [body.properties.name, { type: 'null' }] })],
  ['a new property of a response', ({ response }) => (response.properties.color = { type: 'string' })],
  ['a new value of a response', ({ response }) => response.properties.kind.enum.push('huge')],
  ['a required property of a response', ({ response }) => response.required.push('note')],
  ['no optional property of a response any more', ({ response }) => delete response.properties.note],
  ['no problem any more', ({ operation }) => delete operation.responses['404']],
  ['a new property of problems', ({ problem }) => (problem.properties.hint = { type: 'string' })],
];

function changed(make: Row[1]): ReturnType<typeof breakingChanges> {
  const document = structuredClone(DESCRIPTION);
  make(partsOf(document));
  return breakingChanges(DESCRIPTION, document);
}

describe('a change that breaks clients is found', () => {
  for (const [change, make] of BREAKING)
    test(change, () => {
      assert.deepEqual(changed(make), [{ operation: 'PATCH /v1/things/{thingId}', change }]);
    });

  test('a property of problems is removed', () => {
    const found = changed(({ problem }) => delete problem.properties.traceId);
    assert.deepEqual(found, [{ operation: 'application/problem+json', change: 'problem.traceId is removed' }]);
  });
});

describe('a change that breaks no client is not reported', () => {
  for (const [change, make] of COMPATIBLE) test(change, () => assert.deepEqual(changed(make), []));
});

describe('the descriptions break no client of the last release', () => {
  for (const host of ['auth', 'api', 'console', 'status'])
    test(`docs/openapi/${host}.json; UPDATE_RELEASED=1 makes it the released description`, async () => {
      const description = await readFile(resolve(ROOT, `docs/openapi/${host}.json`), 'utf8');
      const released = resolve(ROOT, `docs/openapi/released/${host}.json.gz`);
      if (process.env['UPDATE_RELEASED']) await writeFile(released, gzipSync(description));
      const before = JSON.parse(gunzipSync(await readFile(released)).toString());
      const changeLog = await readFile(resolve(ROOT, 'CHANGELOG.md'), 'utf8');
      const upgrading = /^## Unreleased\n+### Upgrading\n(.*?)^##/ms.exec(changeLog)?.[1] ?? '';
      assert.deepEqual(
        breakingChanges(before, JSON.parse(description)).filter(
          ({ operation }) => !upgrading.includes(`\`${operation}\``),
        ),
        [],
        'keep the old form beside the new one, or name the operation under "Upgrading" in CHANGELOG.md',
      );
    });
});
