import { expect, test } from 'vitest';
import { csvOf } from './csv.ts';

type Row = { name: string; count: number | null };
const columns = [
  { name: 'Name', cell: () => null, value: ({ name }: Row) => name },
  { name: 'Count', cell: () => null, value: ({ count }: Row) => count },
  { name: 'Buttons', cell: () => null },
];

test('columns with a value are written, quoted where needed', () => {
  const rows = [
    { name: 'Ada, "Countess"', count: 2 },
    { name: 'two\nlines', count: null },
  ];
  expect(csvOf(columns, rows)).toBe('Name,Count\r\n"Ada, ""Countess""",2\r\n"two\nlines",\r\n');
});

test('what a spreadsheet would run is text, and a phone number stays one', () => {
  const names = ['=1+1', '@SUM(A1)', '+cmd|calc', '+49 30 1234', '-5', '\tx'];
  const written = csvOf(
    columns.slice(0, 1),
    names.map((name) => ({ name, count: 0 })),
  );
  expect(written.split('\r\n').slice(1, -1)).toEqual(["'=1+1", "'@SUM(A1)", "'+cmd|calc", '+49 30 1234', '-5', "'\tx"]);
});
