import { useNavigate, useParams, useSearch } from '@tanstack/react-router';

/** The query string: every filter of every screen, as text. */
export type Filters = { [name: string]: string | undefined };

/** The filters in the URL and a function to change some; a changed filter returns to the first page. */
export function useFilters(): [Filters, (changes: Filters, options?: { replace: boolean }) => void] {
  const filters: Filters = useSearch({ strict: false });
  const navigate = useNavigate();
  const change = (changes: Filters, options?: { replace: boolean }) => {
    const next = kept({ ...filters, cursor: undefined, ...changes });
    Promise.resolve(navigate({ to: '.', search: next, replace: options?.replace ?? false })).catch(() => undefined);
  };
  return [filters, change];
}

/** Whether the dialog that adds a record is open; the address has it, so that a link opens it. */
export function useNewDialog(): [boolean, { open: () => void; close: () => void }] {
  const [filters, setFilters] = useFilters();
  const set = (value: string | undefined) => setFilters({ new: value }, { replace: true });
  return [filters['new'] === '1', { open: () => set('1'), close: () => set(undefined) }];
}

/** Drops empty values. */
export function kept(filters: Filters): Filters {
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined && value !== ''));
}

export function parseSearch(search: string): Filters {
  return Object.fromEntries(new URLSearchParams(search));
}

export function stringifySearch(filters: Record<string, unknown>): string {
  const pairs = Object.entries(filters).flatMap(([name, value]) =>
    typeof value === 'string' && value !== '' ? [[name, value]] : [],
  );
  const query = new URLSearchParams(pairs).toString();
  return query === '' ? '' : `?${query}`;
}

/** The record id in the URL. */
export function useIdInAddress(name: 'id' | 'template' | 'domain' | 'connection' = 'id'): string {
  const params: Record<string, string | undefined> = useParams({ strict: false });
  return params[name] ?? '';
}

/** A path with filters, as link props. */
export function linkTo(address: string): { to: string; search: Filters } {
  const [to = address, search = ''] = address.split('?');
  return { to, search: parseSearch(search) };
}
