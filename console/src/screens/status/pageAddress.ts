import type { StatusPage } from '#api/records.ts';
import { useApi } from '#api/scope.tsx';

/** The page that the project manages: that of the installation, or its own. */
export function useStatusPage() {
  return useApi().useQuery('get', '/console/v1/status/page');
}

/** The address of a part of the page, by its path on the page of the installation. */
export function pageAddress({ kind, url }: StatusPage, path = '/status'): string {
  if (url === null) return path;
  const { pathname, search } = new URL(url);
  return kind === 'installation' ? `${path}${search}` : pathname + path.replace(/^\/status(?=\/|$)/, '');
}
