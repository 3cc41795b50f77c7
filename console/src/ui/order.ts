import type { Column } from './table.tsx';

/** The order of a list as its address has it: the name of a column, after `-` for descending. */
export type Order = { name: string; descending: boolean };

export function orderIn(text: string | undefined): Order | null {
  if (!text) return null;
  return text.startsWith('-') ? { name: text.slice(1), descending: true } : { name: text, descending: false };
}

/** The order after a click on a column: ascending, descending, then as the list comes. */
export function nextOrder(now: Order | null, name: string): string | undefined {
  if (now?.name !== name) return name;
  return now.descending ? undefined : `-${name}`;
}

/** Rows in the order of a column; those without a value are last. */
export function ordered<T>(rows: readonly T[], columns: readonly Column<T>[], order: Order | null): readonly T[] {
  const value = columns.find(({ name }) => name === order?.name)?.value;
  if (!value || !order) return rows;
  const sign = order.descending ? -1 : 1;
  return [...rows].sort((a, b) => {
    const [first, second] = [value(a) ?? '', value(b) ?? ''];
    if (first === '' || second === '') return first === second ? 0 : first === '' ? 1 : -1;
    return typeof first === 'number' && typeof second === 'number'
      ? sign * (first - second)
      : sign * String(first).localeCompare(String(second), undefined, { numeric: true, sensitivity: 'base' });
  });
}
