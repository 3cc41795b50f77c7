import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freePortBase } from './ports.ts';

test('concurrent searches for ports never return the same', async () => {
  const bases = await Promise.all(Array.from({ length: 40 }, () => freePortBase()));
  assert.equal(new Set(bases).size, 40);
});
