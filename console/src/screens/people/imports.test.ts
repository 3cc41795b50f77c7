import { expect, test } from 'vitest';
import { sizeOf } from '#ui/sizes.ts';
import { formatOf, keepTried, triedIn } from './imports.ts';

test('the name of the file decides the format', () => {
  expect(['people.CSV', 'people.jsonl', 'people.ndjson', 'people'].map(formatOf)).toEqual([
    'csv',
    'ndjson',
    'ndjson',
    'ndjson',
  ]);
});

test('sizes are shown in readable units', () => {
  expect([0, 999, 1_000, 12_345_678, 1_073_741_824].map(sizeOf)).toEqual([
    '0 bytes',
    '999 bytes',
    '1 kB',
    '12.3 MB',
    '1.1 GB',
  ]);
});

test('the file of a dry run is kept for that dry run only', () => {
  const file = new File(['{}'], 'people.ndjson');
  keepTried('imp_1', { file, format: 'ndjson' });
  expect(triedIn('imp_1')?.file).toBe(file);
  expect(triedIn('imp_2')).toBeNull();
  expect(triedIn(undefined)).toBeNull();
});
