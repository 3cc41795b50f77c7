import { type TObject, Type } from 'typebox';
import type { Route, Routes } from '#platform/route.ts';
import { pathOn } from './addresses.ts';

const Slug = Type.String({
  pattern: '^[a-z0-9]+(-[a-z0-9]+)*$',
  maxLength: 60,
  description: "The last part of the page's address, as `GET /v1/admin/status/page` returns it.",
});

/**
 * The same routes on the pages of projects: the address of a page stands before each path. None answers before routing,
 * because a page is looked up first.
 */
export function ofProjects(routes: Routes): Routes {
  return routes.map(({ early: _, ...route }) => ({
    ...route,
    path: pathOn({ slug: ':slug' }, route.path),
    params: Type.Object({ ...propertiesOf(route), slug: Slug }),
    ...(route.summary !== undefined && { summary: `${route.summary} of a project` }),
    ...(route.problems && { problems: [...route.problems, 'NOT_FOUND'] }),
  }));
}

function propertiesOf({ params }: Pick<Route, 'params'>): TObject['properties'] {
  return params && Type.IsObject(params) ? params.properties : {};
}
