import { Button, Checkbox, Menu } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { dataOf } from '#api/client.ts';
import { problemOf } from '#api/problem.ts';
import { useScope } from '#api/scope.tsx';
import { type BulkAction, BulkBar, useSelection } from './bulk.tsx';
import { csvOf, saveText } from './csv.ts';
import { FilterBar } from './filters.tsx';
import { ColumnsIcon } from './icons.ts';
import { notifyDone, notifyProblem } from './notice.tsx';
import { ordered, orderIn } from './order.ts';
import { Card } from './page.tsx';
import { useFilters } from './search.ts';
import { Loaded, type Query } from './states.tsx';
import { type Column, Pager, Table } from './table.tsx';
import { Views } from './views.tsx';

type Page = { items: readonly unknown[]; nextCursor: string | null };
type RowOf<P extends Page> = P['items'][number];

/** How many there are in all; `more`: there are more than were counted. */
type Total = { count: number; more: boolean };

/** Sends the request for one page. */
export type ReadPage<P> = (page: { limit: number; cursor?: string }) => Promise<{ data?: P; error?: unknown }>;

type ListProps<P extends Page> = {
  /** Of the table, and of the file and the settings of the list. */
  label: string;
  title?: string;
  actions?: ReactNode;
  query: Query<P>;
  columns: readonly Column<RowOf<P>>[] | ((page: P) => readonly Column<RowOf<P>>[]);
  keyOf: (row: RowOf<P>) => string;
  href?: (row: RowOf<P>) => string | null;
  empty: ReactNode;
  filters?: ReactNode;
  groupOf?: (row: RowOf<P>) => string;
  bulk?: readonly BulkAction<RowOf<P>>[];
  total?: Total | undefined;
  /** Reads a page of the same filters, for a file of all that match. */
  readPage: ReadPage<P>;
  children?: (page: P) => ReactNode;
};

/**
 * A list: filters that can be kept, columns to choose and sort by, rows to select, how many there are, pages, and a file of
 * what matches. A list that fits on one page is sorted here; of a longer one only the columns that its server sorts by.
 */
export function List<P extends Page>(props: ListProps<P>) {
  const { label, title, actions, query, columns, keyOf, href, empty, filters, groupOf, bulk = [], total } = props;
  const [{ sort, cursor }] = useFilters();
  const [toggled, setToggled] = useToggledColumns(label);
  const selection = useSelection();
  const columnsOf = (page: P) => (typeof columns === 'function' ? columns(page) : columns);
  const isShown = (column: Column<RowOf<P>>) => toggled.includes(column.name) === (column.extra === true);
  const known = query.data ? columnsOf(query.data) : [];
  return (
    <Card flush {...(title !== undefined && { title })} actions={actions}>
      <FilterBar>
        {filters}
        <Tools>
          {filters && <Views label={label} />}
          <ColumnChoice columns={known} isShown={isShown} toggled={toggled} onChange={setToggled} />
          <SaveCsv {...props} columnsOf={columnsOf} isShown={isShown} />
        </Tools>
      </FilterBar>
      <Loaded query={query}>
        {(page) => {
          const isWhole = !cursor && page.nextCursor === null;
          const order = orderIn(sort);
          const shown = columnsOf(page).filter((column, index) => index === 0 || isShown(column));
          const sortable = shown.some(({ sorts }) => sorts) && !isWhole;
          const rows = isWhole ? ordered(page.items, columnsOf(page), order) : page.items;
          return (
            <>
              {bulk.length > 0 && (
                <BulkBar
                  actions={bulk}
                  rows={page.items.filter((row) => selection.keys.has(keyOf(row)))}
                  onDone={(left) => selection.keep(left.map(keyOf))}
                />
              )}
              <Table
                label={label}
                rows={rows}
                columns={shown}
                keyOf={keyOf}
                href={href}
                empty={empty}
                groupOf={rows === page.items ? groupOf : undefined}
                order={{
                  by: order,
                  canSort: ({ value, sorts }) => (sortable ? sorts === true : isWhole && value !== undefined),
                }}
                selection={bulk.length > 0 ? selection : undefined}
              />
              <Pager nextCursor={page.nextCursor} about={totalOf(page, { isWhole, total })} />
              {props.children?.(page)}
            </>
          );
        }}
      </Loaded>
    </Card>
  );
}

/** The buttons of the list itself, at the end of its filters. */
function Tools({ children }: { children: ReactNode }) {
  return (
    <div style={{ display: 'flex', gap: '0.5rem', marginLeft: 'auto', justifyContent: 'flex-end' }}>{children}</div>
  );
}

const numbers = new Intl.NumberFormat('en');

function totalOf({ items }: Page, { isWhole, total }: { isWhole: boolean; total: Total | undefined }): string | null {
  if (items.length === 0) return null;
  if (isWhole) return items.length === 1 ? '1 row' : `${numbers.format(items.length)} rows`;
  if (!total) return null;
  return `${numbers.format(items.length)} of ${total.more ? 'more than ' : ''}${numbers.format(total.count)}`;
}

/** The columns of a list that the person wants otherwise than by default, by name. */
function useToggledColumns(label: string) {
  return useLocalStorage<readonly string[]>({
    key: `latchkey-console-columns ${label}`,
    defaultValue: [],
    getInitialValueInEffect: false,
  });
}

type ChoiceProps<T> = {
  columns: readonly Column<T>[];
  toggled: readonly string[];
  isShown: (column: Column<T>) => boolean;
  onChange: (toggled: readonly string[]) => void;
};

function ColumnChoice<T>({ columns, toggled, isShown, onChange }: ChoiceProps<T>) {
  const choices = columns.slice(1).filter(({ name }) => name !== '');
  if (choices.length < 2) return null;
  const toggle = ({ name }: Column<T>) =>
    onChange(toggled.includes(name) ? toggled.filter((one) => one !== name) : [...toggled, name]);
  return (
    <Menu position="bottom-end" closeOnItemClick={false}>
      <Menu.Target>
        <Button variant="default" size="xs" leftSection={<ColumnsIcon size={14} aria-hidden />}>
          Columns
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {choices.map((column) => (
          <Menu.Item
            key={column.name}
            role="menuitemcheckbox"
            aria-checked={isShown(column)}
            onClick={() => toggle(column)}
          >
            <Checkbox
              readOnly
              tabIndex={-1}
              size="xs"
              label={column.name}
              checked={isShown(column)}
              style={{ pointerEvents: 'none' }}
            />
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** A file holds at most this many rows; a page of the API has a hundred. */
const MAX_ROWS = 10_000;

type CsvProps<P extends Page> = Pick<ListProps<P>, 'label' | 'query' | 'readPage'> & {
  columnsOf: (page: P) => readonly Column<RowOf<P>>[];
  isShown: (column: Column<RowOf<P>>) => boolean;
};

/** Saves all rows that match the filters, in the columns that are shown. */
function SaveCsv<P extends Page>({ label, query, readPage, columnsOf, isShown }: CsvProps<P>) {
  const [busy, setBusy] = useState(false);
  const { environment } = useScope();
  const save = async () => {
    setBusy(true);
    try {
      const pages = await readAll(readPage);
      const [head = '', ...rest] = pages.map((page) => {
        const shown = columnsOf(page).filter((column, index) => index === 0 || isShown(column));
        return csvOf(shown, page.items);
      });
      const text = head + rest.map((lines) => lines.slice(lines.indexOf('\r\n') + 2)).join('');
      saveText(
        `${label.toLowerCase().replaceAll(' ', '-')}${environment ? `-${environment}` : ''}.csv`,
        'text/csv',
        text,
      );
      const rows = pages.reduce((sum, { items }) => sum + items.length, 0);
      const isCut = rows >= MAX_ROWS && pages.at(-1)?.nextCursor !== null;
      notifyDone(isCut ? `Saved the first ${numbers.format(rows)} rows` : `Saved ${numbers.format(rows)} rows`);
    } catch (thrown) {
      notifyProblem(problemOf(thrown));
    } finally {
      setBusy(false);
    }
  };
  const { data } = query;
  if (!data || data.items.length === 0) return null;
  return (
    <Button variant="default" size="xs" loading={busy} onClick={save}>
      CSV
    </Button>
  );
}

async function readAll<P extends Page>(readPage: ReadPage<P>): Promise<P[]> {
  const pages: P[] = [];
  let cursor: string | undefined;
  let rows = 0;
  do {
    // biome-ignore lint/performance/noAwaitInLoops: a page names the next one
    const page: P = await dataOf(readPage({ limit: 100, ...(cursor !== undefined && { cursor }) }));
    pages.push(page);
    rows += page.items.length;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined && rows < MAX_ROWS);
  return pages;
}
