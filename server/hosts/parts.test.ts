import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PARTS } from './parts.ts';
import { served } from './routes.ts';

const keysOf = (of: 'permissions' | 'events') => PARTS.flatMap((part) => Object.keys(part[of] ?? {}));
const twice = (keys: string[]) => keys.filter((key, index) => keys.indexOf(key) !== index);

test('every permission that the API host requires is declared by one part', () => {
  const declared = keysOf('permissions');
  assert.deepEqual(twice(declared), []);
  const required = served.api.map(({ permission }) => permission).filter((permission) => permission.includes(':'));
  assert.ok(required.length > 50);
  assert.deepEqual(
    required.filter((permission) => !declared.includes(permission)),
    [],
  );
});

test('every event type is declared by one part', () => {
  const declared = keysOf('events');
  assert.ok(declared.length > 150);
  assert.deepEqual(twice(declared), []);
});
