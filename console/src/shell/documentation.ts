import { projectPlaces, workspacePlaces } from './navigation.ts';

const DOCUMENTATION = '/docs/';

/** The page of the documentation about a screen. */
export function documentationOf(pathname: string): string {
  const [, project] = /^\/[^/]+\/[^/]+\/(?:test|production)(?=\/|$)(.*)$/.exec(pathname) ?? [];
  const [, workspace = '/'] = /^\/[^/]+(\/.*)$/.exec(pathname) ?? [];
  const places = project === undefined ? workspacePlaces : projectPlaces.flatMap((group) => group.places);
  const path = project ?? workspace;
  const place = places.find((each) => path === each.path || (each.path !== '' && path.startsWith(`${each.path}/`)));
  return `${DOCUMENTATION}${place?.docs ?? ''}`;
}
