import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freePortBase } from './ports.ts';

test('no two that look for ports at once get the same', async () => {
  const bases = await Promise.all(Array.from({ length: 40 }, () => freePortBase()));
  assert.equal(new Set(bases).size, 40);
});
