import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type KeyboardEvent, type ReactNode, use } from 'react';
import { BackIcon, ForwardIcon } from './icons.ts';
import { linkTo, useFilters } from './search.ts';
import { Empty, ShowsEarlierData } from './states.tsx';
import classes from './table.module.css';

export type Column<T> = {
  name: string;
  cell: (row: T) => ReactNode;
  /** Hidden on narrow screens. */
  wide?: boolean;
  align?: 'right';
  /** Never wraps. */
  short?: boolean;
};

type TableProps<T> = {
  label: string;
  rows: readonly T[];
  columns: readonly Column<T>[];
  keyOf: (row: T) => string;
  /** The link of a row, on its first cell. Null: no link. */
  href?: (row: T) => string | null;
  empty: ReactNode;
  /** Fixed column widths, for tables below each other. */
  even?: boolean;
};

/** A table. Up and down (or j and k) move between rows with a link. */
export function Table<T>({ label, rows, columns, keyOf, href, empty, even }: TableProps<T>) {
  const busy = use(ShowsEarlierData);
  if (rows.length === 0) return typeof empty === 'string' ? <Empty title={empty} /> : empty;
  return (
    <div className={classes.scroll}>
      <table className={classes.table} data-even={even} aria-label={label} aria-busy={busy} onKeyDown={moveBetweenRows}>
        <thead>
          <tr>
            {columns.map(({ name, wide, align }) => {
              const place = { className: wide ? classes.wide : undefined, 'data-align': align };
              if (name === '') return <td key={name} {...place} />;
              return (
                <th key={name} scope="col" {...place}>
                  {name}
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const to = href?.(row) ?? null;
            return (
              <tr key={keyOf(row)} data-leads={to !== null}>
                {columns.map(({ name, cell, wide, align, short }, index) => (
                  <td key={name} className={wide ? classes.wide : undefined} data-align={align} data-short={short}>
                    {index === 0 && to !== null ? (
                      <Link {...linkTo(to)} className={classes.link} data-row-link>
                        {cell(row)}
                      </Link>
                    ) : (
                      cell(row)
                    )}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

const STEP: Record<string, number> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 };

function moveBetweenRows(event: KeyboardEvent<HTMLTableElement>): void {
  const step = STEP[event.key];
  if (step === undefined || event.target instanceof HTMLInputElement) return;
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-row-link]')];
  const at = links.findIndex((link) => link.matches(':focus'));
  const next = links[at + step];
  if (at === -1 || !next) return;
  event.preventDefault();
  next.focus();
}

/** The value of a column that is hidden on narrow screens, shown below the first cell. */
export function Below({ children }: { children: ReactNode }) {
  return <span className={classes.below}>{children}</span>;
}

/** Previous and next page. The cursor is in the URL, so the browser's Back works. */
export function Pager({ nextCursor }: { nextCursor: string | null }) {
  const [{ cursor }, setFilters] = useFilters();
  const isEarlierData = use(ShowsEarlierData);
  if (!cursor && nextCursor === null) return null;
  return (
    <nav className={classes.pager} aria-label="Pages">
      <Button
        variant="default"
        size="compact-sm"
        disabled={!cursor}
        leftSection={<BackIcon size={14} />}
        onClick={() => window.history.back()}
      >
        Previous
      </Button>
      <Button
        variant="default"
        size="compact-sm"
        disabled={nextCursor === null || isEarlierData}
        rightSection={<ForwardIcon size={14} />}
        onClick={() => setFilters({ cursor: nextCursor ?? undefined })}
      >
        Next
      </Button>
    </nav>
  );
}
