import { type TObject, type TSchema, Type } from 'typebox';
import type { Routes } from '#platform/route.ts';
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
    params: Type.Object({ ...propertiesOf(route.params), slug: Slug }),
    ...(route.query && { query: withoutEnvironment(route.query) }),
    ...(route.summary !== undefined && { summary: `${route.summary} of a project` }),
    ...(route.problems && { problems: [...route.problems, 'NOT_FOUND'] }),
  }));
}

/** The address of a page says which environment it is of. */
function withoutEnvironment(query: TSchema): TSchema {
  const { environment: _, ...properties } = propertiesOf(query);
  return Type.Object(properties);
}

function propertiesOf(schema: TSchema | undefined): TObject['properties'] {
  return schema && Type.IsObject(schema) ? schema.properties : {};
}
