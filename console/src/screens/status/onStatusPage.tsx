import type { ComponentType } from 'react';
import type { StatusPage } from '#api/records.ts';
import { useApi } from '#api/scope.tsx';
import { Page } from '#ui/page.tsx';
import { Loaded } from '#ui/states.tsx';
import { Publishing } from './Publishing.tsx';

type PresentPage = StatusPage & { url: string };

/** A screen about the page that the project manages; before there is one, how to make it. */
export function onStatusPage(Screen: ComponentType<{ page: PresentPage }>) {
  return function OnStatusPage() {
    const query = useApi().useQuery('get', '/console/v1/status/page');
    const url = query.data?.url ?? null;
    if (query.data && url !== null) return <Screen page={{ ...query.data, url }} />;
    return (
      <Page title="Status" about="Incidents on the status page.">
        <Loaded query={query}>{(page) => <Publishing page={page} />}</Loaded>
      </Page>
    );
  };
}

/** The address of a part of a page, by its path on the page of the installation. */
export function addressOn({ kind, url }: PresentPage, path: string): string {
  const { pathname, search } = new URL(url);
  const there = kind === 'installation' ? path + search : pathname + path.replace(/^\/status(?=\/|$)/, '');
  return new URL(there, url).href;
}
