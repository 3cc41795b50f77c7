import type { SystemInTx } from '#platform/system.ts';
import type { StatusPage } from './pages.ts';

type Where = Pick<StatusPage, 'slug'> & Partial<Pick<StatusPage, 'domain'>>;

/**
 * The path of a page of the installation, such as `/status/incidents` or `/api/status/summary`, on another page: that of a
 * project has its address before all of them. At a domain they are the same, and the page itself is `/`.
 */
export function pathOn({ slug, domain = null }: Where, path: string): string {
  if (domain !== null) return path === '/status' ? '/' : path;
  return slug === null ? path : `/status/p/${slug}${path.replace(/^\/status(?=\/|$)/, '')}`;
}

/** The query that says which of the installation's pages is meant, beside other parameters; empty if none is needed. */
export function queryOn({ slug, environment }: StatusPage, parameters: Record<string, string> = {}): string {
  const named = slug === null && environment === 'test' ? { environment } : {};
  const query = new URLSearchParams({ ...named, ...parameters }).toString();
  return query === '' ? '' : `?${query}`;
}

/** The origin of a page. */
export function originOf({ config }: SystemInTx, { domain }: Pick<StatusPage, 'domain'>): string {
  return domain ?? config.addresses.status;
}

/** The whole address of a page, or of a page below it. */
export function pageAddressOf(system: SystemInTx, page: StatusPage, path = ''): string {
  return `${originOf(system, page)}${pathOn(page, `/status${path}`)}${queryOn(page)}`;
}
