import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { readDescription } from './description.ts';
import { generated } from './generate.ts';
import { goFiles } from './go.ts';
import { pythonFiles } from './python.ts';

test('the Python package and the Go module have the operations of the description', async () => {
  const files = [...(await generated())];
  const present = await Promise.all(files.map(([path]) => readFile(path, 'utf8')));
  const old = files.filter(([, content], index) => content !== present[index]).map(([path]) => path);
  assert.deepEqual(old, [], 'The description has changed: run "npx node sdk/languages/generate.ts".');
});

test('absent, null and a value of a field stay apart, and names that a language reserves are changed', () => {
  const field = { type: 'string' };
  const description = readDescription({
    paths: {
      '/v1/things/{from}': {
        patch: {
          operationId: 'changeAThingOfThePerson',
          summary: 'Change a thing',
          parameters: [{ $ref: '#/components/parameters/if-match' }, { in: 'query', name: 'class', schema: field }],
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  required: ['a'],
                  properties: {
                    a: field,
                    b: field,
                    c: { anyOf: [field, { type: 'null' }] },
                    from: { enum: ['x', 'y'] },
                  },
                },
              },
            },
          },
          responses: { 204: {} },
        },
      },
      '/other': { get: { operationId: 'other', summary: 'Outside of the API', responses: { 200: {} } } },
    },
  });
  assert.deepEqual(
    description.operations.map(({ name }) => name),
    ['changeThingOfPerson'],
  );
  const python = pythonFiles(description);
  assert.match(
    python['operations.py'] ?? '',
    /def change_thing_of_person\(self, from_: str, body: models\.ChangeThingOfPersonRequest, \*, class_: str \| None = None, if_match: str \| None = None\) -> None:/,
  );
  assert.match(
    python['models.py'] ?? '',
    /"c": "NotRequired\[str \| None\]",\n {4}"from": "NotRequired\[Literal\[\\"x\\", \\"y\\"\]\]"/,
  );
  const go = goFiles(description);
  assert.match(
    go['models.go'] ?? '',
    /\tA +string +`json:"a"`\n\tB +\*string +`json:"b,omitzero"`\n\tC +Nullable\[string\] `json:"c,omitzero"`/,
  );
  assert.match(
    go['operations.go'] ?? '',
    /func \(c \*Client\) ChangeThingOfPerson\(ctx context\.Context, from string, body ChangeThingOfPersonRequest, query ChangeThingOfPersonQuery, options \.\.\.Option\) error \{/,
  );
});
