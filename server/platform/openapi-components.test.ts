import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { withComponents } from './openapi-components.ts';

const described = (...schemas: unknown[]) => ({
  components: { securitySchemes: { bearer: { type: 'http' } } },
  paths: Object.fromEntries(schemas.map((schema, index) => [`/v1/${index}`, { get: { schema } }])),
});
const problemOf = (description: string) => ({
  description,
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/ProblemDetails' } } },
});

describe('parts that operations share are components of the description', () => {
  test('schemas with a title, header parameters and problems are named', () => {
    const inner = { type: 'object', properties: { title: { type: 'string' } } };
    const key = { in: 'header', name: 'if-match', schema: { type: 'string' } };
    const twice = problemOf('`CONFLICT`, `NOT_FOUND`, `CONFLICT`');
    assert.deepEqual(
      withComponents(described({ title: 'Thing', ...inner }, { items: { title: 'Thing', ...inner } }, key, twice)),
      {
        components: {
          securitySchemes: { bearer: { type: 'http' } },
          schemas: { Thing: inner },
          parameters: { 'if-match': key },
          responses: { 'CONFLICT.NOT_FOUND': problemOf('`CONFLICT`, `NOT_FOUND`') },
        },
        paths: {
          '/v1/0': { get: { schema: { $ref: '#/components/schemas/Thing' } } },
          '/v1/1': { get: { schema: { items: { $ref: '#/components/schemas/Thing' } } } },
          '/v1/2': { get: { schema: { $ref: '#/components/parameters/if-match' } } },
          '/v1/3': { get: { schema: { $ref: '#/components/responses/CONFLICT.NOT_FOUND' } } },
        },
      },
    );
  });

  test('two different schemas with one title are refused', () => {
    const document = described({ title: 'Thing', type: 'string' }, { title: 'Thing', type: 'integer' });
    assert.throws(() => withComponents(document), /two different schemas named Thing/);
  });

  test('examples, and problems with more than codes, stay inline', () => {
    const document = described({ examples: [{ title: 'A title' }] }, problemOf('Ask again, `RATE_LIMIT_EXCEEDED`'));
    assert.deepEqual(withComponents(document)['paths'], document.paths);
  });
});
