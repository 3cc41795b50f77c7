import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { KeyboardEvent, ReactNode } from 'react';
import { BackIcon, ForwardIcon } from './icons.ts';
import { linkTo, useFilters } from './search.ts';
import { Empty } from './states.tsx';
import classes from './table.module.css';

export type Column<T> = {
  name: string;
  cell: (row: T) => ReactNode;
  /** Left out where the screen is narrow. */
  wide?: boolean;
  align?: 'right';
  /** Never breaks over two lines. */
  short?: boolean;
};

type TableProps<T> = {
  label: string;
  rows: readonly T[];
  columns: readonly Column<T>[];
  keyOf: (row: T) => string;
  /** Where a row leads; its first cell is the link. Null: nowhere. */
  href?: (row: T) => string | null;
  empty: ReactNode;
  /** Columns of one width, where tables stand one below the other. */
  even?: boolean;
};

/** Rows to look through. Up and down (or j and k) move between the rows that lead somewhere. */
export function Table<T>({ label, rows, columns, keyOf, href, empty, even }: TableProps<T>) {
  if (rows.length === 0) return typeof empty === 'string' ? <Empty title={empty} /> : empty;
  return (
    <div className={classes.scroll}>
      <table className={classes.table} data-even={even} aria-label={label} onKeyDown={moveBetweenRows}>
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

/** What a column tells that is left out where the screen is narrow, below the first cell of the row. */
export function Below({ children }: { children: ReactNode }) {
  return <span className={classes.below}>{children}</span>;
}

/** Leads through a list that is read page by page; the page is in the address, so Back works. */
export function Pager({ nextCursor }: { nextCursor: string | null }) {
  const [{ cursor }, setFilters] = useFilters();
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
        disabled={nextCursor === null}
        rightSection={<ForwardIcon size={14} />}
        onClick={() => setFilters({ cursor: nextCursor ?? undefined })}
      >
        Next
      </Button>
    </nav>
  );
}
