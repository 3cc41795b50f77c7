import { type TObject, type TSchema, Type } from 'typebox';
import type { Reply, Request } from '#platform/http.ts';
import type { Route, Routes } from '#platform/route.ts';
import { pathOn } from './addresses.ts';
import { pageAsked } from './summary.public.ts';
import { isAdmitted, toSignIn } from './visitors.ts';

export const Slug = Type.String({
  pattern: '^[a-z0-9]+(-[a-z0-9]+)*$',
  maxLength: 60,
  description: "The last part of the page's address, as `GET /v1/admin/status/page` returns it.",
});

/**
 * The same routes on the pages of projects: the address of a page stands before each path. None answers before routing,
 * because a page is looked up first. People who may not see a page are sent to sign in; programs get the 404 of an unknown page
 * from `pageFor`.
 */
export function ofProjects(routes: Routes): Routes {
  return routes.map(({ early: _, ...route }) => ({
    ...route,
    path: pathOn({ slug: ':slug' }, route.path),
    params: Type.Object({ ...propertiesOf(route.params), slug: Slug }),
    ...(route.query && { query: withoutEnvironment(route.query) }),
    ...(route.summary !== undefined && { summary: `${route.summary} of a project` }),
    ...(route.problems && { problems: [...route.problems, 'NOT_FOUND'] }),
    ...(isForPeople(route) && { handler: signingIn(route) }),
  }));
}

/** The same routes at the domain of a project's page, where the page itself is `/`, too. */
export function atDomains(routes: Routes): Routes {
  const own = routes.map(({ early: _, ...route }) => ({
    ...route,
    ...(route.query && { query: withoutEnvironment(route.query) }),
    ...(isForPeople(route) && { handler: signingIn(route) }),
  }));
  return [...own, ...own.filter(({ path }) => path === '/status').map((route) => ({ ...route, path: '/' }))];
}

/** The address of a page says which environment it is of. */
function withoutEnvironment(query: TSchema): TSchema {
  const { environment: _, ...properties } = propertiesOf(query);
  return Type.Object(properties);
}

function propertiesOf(schema: TSchema | undefined): TObject['properties'] {
  return schema && Type.IsObject(schema) ? schema.properties : {};
}

/** The pages, without the line for frames of other sites, where nobody can sign in. */
function isForPeople({ path }: Route): boolean {
  return path.startsWith('/status') && path !== '/status/embed';
}

/** The handler of a page, which sends people who may not see it to sign in. */
function signingIn({ handler }: Route): Route['handler'] {
  return async (request: Request, reply: Reply) => {
    const page = await pageAsked(request);
    if (page && !(await isAdmitted(request, page))) return toSignIn({ request, reply, page });
    return handler(request, reply);
  };
}
