import { Type } from 'typebox';
import { IdSchema } from '#platform/ids.ts';
import type { Route, Routes } from '#platform/route.ts';

const FROM = '/v1/admin/';
const TO = '/console/v1/';

const instead = 'Instead of the header of that name, which a link can not send.';
const scopeOfLink = {
  workspaceId: Type.Optional(Type.Unsafe({ ...IdSchema('wrk'), description: instead })),
  projectId: Type.Optional(Type.Unsafe({ ...IdSchema('prj'), description: instead })),
  environment: Type.Optional(Type.Enum(['test', 'production', 'prod'], { description: instead })),
};

/** The admin routes as the console serves them: the same, at addresses of the console. */
export function atConsole(routes: Routes): Routes {
  return routes.map((route) => ({
    ...route,
    path: moved(route.path),
    ...(route.changes !== undefined && { changes: moved(route.changes) }),
    ...(route.scopeIn === 'link' && { query: withScope(route) }),
  }));
}

function moved(path: string): string {
  if (!path.startsWith(FROM)) throw new Error(`${path} is no admin route.`);
  return TO + path.slice(FROM.length);
}

/** What a browser opens by a link to save it as a file may carry its scope in the query. */
function withScope({ query }: Route) {
  return Type.Object({ ...Object(query).properties, ...scopeOfLink });
}
