import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { memoryFinding } from './doctor-memory.ts';

const MEGABYTE = 2 ** 20;

describe('the memory of the database', () => {
  const cases = [
    { size: 12, buffers: 128, state: 'ok' },
    { size: 1_000, buffers: 128, state: 'ok' },
    { size: 1_100, buffers: 128, state: 'warning' },
    { size: 6_000, buffers: 512, state: 'warning' },
    { size: 6_000, buffers: 1_024, state: 'ok' },
    { size: 500_000, buffers: 1_024, state: 'ok' },
  ];
  for (const { size, buffers, state } of cases)
    test(`${buffers} MB for ${size} MB of data is ${state === 'ok' ? 'enough' : 'too little'}`, () => {
      const finding = memoryFinding({ size: size * MEGABYTE, buffers: buffers * MEGABYTE });
      assert.equal(finding.state, state);
      assert.match(finding.found, new RegExp(`^${buffers} MB for ${size} MB`));
      assert.equal(finding.remedy !== undefined, state === 'warning');
    });
});
