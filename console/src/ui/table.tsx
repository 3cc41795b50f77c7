import { Button, Checkbox } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Fragment, type KeyboardEvent, type ReactNode, use } from 'react';
import { BackIcon, DownIcon, ForwardIcon, UpIcon } from './icons.ts';
import { nextOrder, type Order } from './order.ts';
import { linkTo, useFilters } from './search.ts';
import { Empty, ShowsEarlierData } from './states.tsx';
import classes from './table.module.css';

export type Column<T> = {
  name: string;
  cell: (row: T) => ReactNode;
  /** What is sorted by, and written to CSV files; a time in ISO 8601. */
  value?: (row: T) => string | number | boolean | null;
  /** Hidden on narrow screens. */
  wide?: boolean;
  align?: 'right';
  /** Never wraps. */
  short?: boolean;
  /** Shown only if the person chooses it. */
  extra?: boolean;
  /** The server sorts by it, also a list of many pages. */
  sorts?: boolean;
};

/** The rows that are selected, and how to change that. */
type Selection = {
  keys: ReadonlySet<string>;
  toggle: (key: string) => void;
  toggleAll: (keys: readonly string[]) => void;
};

type TableProps<T> = {
  label: string;
  rows: readonly T[];
  columns: readonly Column<T>[];
  keyOf: (row: T) => string;
  /** The link of a row, on its first cell. Null: no link. */
  href?: ((row: T) => string | null) | undefined;
  empty: ReactNode;
  /** Fixed column widths, for tables below each other. */
  even?: boolean;
  /** A heading above the rows that have it, such as their day. */
  groupOf?: ((row: T) => string) | undefined;
  /** The present order and the columns that can be sorted by. */
  order?: { by: Order | null; canSort: (column: Column<T>) => boolean } | undefined;
  selection?: Selection | undefined;
};

/** A table. Up and down (or j and k) move between rows with a link. */
export function Table<T>(props: TableProps<T>) {
  const { label, rows, columns, keyOf, empty, even, groupOf, order, selection } = props;
  const busy = use(ShowsEarlierData);
  if (rows.length === 0) return typeof empty === 'string' ? <Empty title={empty} /> : empty;
  const keys = rows.map(keyOf);
  return (
    <div className={classes.scroll}>
      <table className={classes.table} data-even={even} aria-label={label} aria-busy={busy} onKeyDown={moveBetweenRows}>
        <thead>
          <tr>
            {selection && <SelectAll keys={keys} selection={selection} />}
            {columns.map((column) => (
              <Head key={column.name} column={column} order={order?.canSort(column) ? { by: order.by } : null} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => {
            const group = groupOf?.(row);
            const before = rows[index - 1];
            const begins = group !== undefined && (before === undefined || groupOf?.(before) !== group);
            return (
              <Fragment key={keyOf(row)}>
                {begins && (
                  <tr className={classes.group}>
                    <th scope="rowgroup" colSpan={columns.length + (selection ? 1 : 0)}>
                      {group}
                    </th>
                  </tr>
                )}
                <Row {...props} row={row} />
              </Fragment>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function Head<T>({ column, order }: { column: Column<T>; order: { by: Order | null } | null }) {
  const { name, wide, align } = column;
  const [, setFilters] = useFilters();
  const place = { className: wide ? classes.wide : undefined, 'data-align': align };
  if (name === '') return <td {...place} />;
  if (!order)
    return (
      <th scope="col" {...place}>
        {name}
      </th>
    );
  const { by } = order;
  const isSorted = by?.name === name;
  const direction = by?.descending ? 'descending' : 'ascending';
  const Arrow = by?.descending ? DownIcon : UpIcon;
  return (
    <th scope="col" {...place} aria-sort={isSorted ? direction : 'none'}>
      <button
        type="button"
        className={classes.sort}
        onClick={() => setFilters({ sort: nextOrder(by, name) }, { replace: true })}
      >
        {name}
        <Arrow size={12} aria-hidden className={classes.arrow} data-on={isSorted} />
      </button>
    </th>
  );
}

function SelectAll({ keys, selection }: { keys: readonly string[]; selection: Selection }) {
  const chosen = keys.filter((key) => selection.keys.has(key)).length;
  return (
    <td className={classes.select}>
      <Checkbox
        size="xs"
        aria-label="Select all rows"
        checked={chosen > 0 && chosen === keys.length}
        indeterminate={chosen > 0 && chosen < keys.length}
        onChange={() => selection.toggleAll(keys)}
      />
    </td>
  );
}

type RowProps<T> = Pick<TableProps<T>, 'columns' | 'keyOf' | 'href' | 'selection'> & { row: T };

function Row<T>({ row, columns, keyOf, href, selection }: RowProps<T>) {
  const to = href?.(row) ?? null;
  const key = keyOf(row);
  return (
    <tr data-leads={to !== null} data-selected={selection?.keys.has(key)}>
      {selection && (
        <td className={classes.select}>
          <div data-above>
            <Checkbox
              size="xs"
              aria-label={`Select ${columns[0]?.value?.(row) ?? 'this row'}`}
              checked={selection.keys.has(key)}
              onChange={() => selection.toggle(key)}
            />
          </div>
        </td>
      )}
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

/** Previous and next page, after what `about` says. The cursor is in the URL, so the browser's Back works. */
export function Pager({ nextCursor, about }: { nextCursor: string | null; about?: ReactNode }) {
  const [{ cursor }, setFilters] = useFilters();
  const isEarlierData = use(ShowsEarlierData);
  const isWhole = !cursor && nextCursor === null;
  if (isWhole && !about) return null;
  return (
    <nav className={classes.pager} aria-label="Pages">
      {about && <span className={classes.total}>{about}</span>}
      {!isWhole && (
        <>
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
        </>
      )}
    </nav>
  );
}
