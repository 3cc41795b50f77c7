import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PARTS } from './parts.ts';
import { served } from './routes.ts';

const keysOf = (of: 'permissions') => PARTS.flatMap((part) => Object.keys(part[of] ?? {}));

test('every permission that the API host requires is declared by one part', () => {
  const declared = keysOf('permissions');
  assert.deepEqual(
    declared.filter((key, index) => declared.indexOf(key) !== index),
    [],
  );
  const required = served.api.map(({ permission }) => permission).filter((permission) => permission.includes(':'));
  assert.ok(required.length > 50);
  assert.deepEqual(
    required.filter((permission) => !declared.includes(permission)),
    [],
  );
});
