import { useNavigate, useParams, useSearch } from '@tanstack/react-router';

/** What stands in the address after the question mark: every filter of every screen, as text. */
export type Filters = { [name: string]: string | undefined };

/** The filters in the address, and a way to change some of them; a changed filter starts the list anew. */
export function useFilters(): [Filters, (changes: Filters, options?: { replace: boolean }) => void] {
  const filters: Filters = useSearch({ strict: false });
  const navigate = useNavigate();
  const change = (changes: Filters, options?: { replace: boolean }) => {
    const next = kept({ ...filters, cursor: undefined, ...changes });
    Promise.resolve(navigate({ to: '.', search: next, replace: options?.replace ?? false })).catch(() => undefined);
  };
  return [filters, change];
}

/** Without what is empty. */
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

/** The id of the record that the address names. */
export function useIdInAddress(name: 'id' | 'template' = 'id'): string {
  const params: Record<string, string | undefined> = useParams({ strict: false });
  return params[name] ?? '';
}

/** An address with filters, as a link takes it. */
export function linkTo(address: string): { to: string; search: Filters } {
  const [to = address, search = ''] = address.split('?');
  return { to, search: parseSearch(search) };
}
