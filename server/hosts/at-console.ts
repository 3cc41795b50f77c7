import { Type } from 'typebox';
import { IdSchema } from '#platform/ids.ts';
import type { Route, Routes } from '#platform/route.ts';

const FROM = '/v1/admin/';
const TO = '/console/v1/';

const instead = 'Replaces the header of that name, which a link cannot send.';
const scopeOfLink = {
  workspaceId: Type.Optional(Type.Unsafe({ ...IdSchema('wrk'), description: instead })),
  projectId: Type.Optional(Type.Unsafe({ ...IdSchema('prj'), description: instead })),
  environment: Type.Optional(Type.Enum(['test', 'production', 'prod'], { description: instead })),
};

/** The admin routes at the console's addresses. */
export function atConsole(routes: Routes): Routes {
  return routes.map((route) => ({
    ...route,
    path: moved(route.path),
    ...(route.changes !== undefined && { changes: moved(route.changes) }),
    ...(route.scopeIn === 'link' && { query: withScope(route) }),
  }));
}

function moved(path: string): string {
  if (!path.startsWith(FROM)) throw new Error(`${path} is not an admin route.`);
  return TO + path.slice(FROM.length);
}

/** Downloads opened by a link may carry their scope in the query, because a link can't set headers. */
function withScope({ query }: Route) {
  return Type.Object({ ...Object(query).properties, ...scopeOfLink });
}
