import type { SystemInTx } from '#platform/system.ts';
import type { StatusPage } from './pages.ts';

/**
 * The path of a page of the installation, such as `/status/incidents` or `/api/status/summary`, on another page: that of a
 * project has its address before all of them.
 */
export function pathOn({ slug }: Pick<StatusPage, 'slug'>, path: string): string {
  return slug === null ? path : `/status/p/${slug}${path.replace(/^\/status(?=\/|$)/, '')}`;
}

/** The query that says which of the installation's pages is meant, beside other parameters; empty if none is needed. */
export function queryOn({ slug, environment }: StatusPage, parameters: Record<string, string> = {}): string {
  const named = slug === null && environment === 'test' ? { environment } : {};
  const query = new URLSearchParams({ ...named, ...parameters }).toString();
  return query === '' ? '' : `?${query}`;
}

/** The whole address of a page, or of a page below it. */
export function pageAddressOf(system: SystemInTx, page: StatusPage, path = ''): string {
  return `${system.config.addresses.status}${pathOn(page, `/status${path}`)}${queryOn(page)}`;
}
