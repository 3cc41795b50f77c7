import { createHash, randomBytes } from 'node:crypto';
import type pg from 'pg';
import type { Subject } from './installation.ts';
import { percentile95 } from './load.ts';

const ROUNDS = 20;

type Get = (path: string) => Promise<unknown>;

/** Writes an owner's session into the database, which saves a sign-in. @returns its cookie */
export async function operatorSession(database: pg.Client, workspaceId: string): Promise<string> {
  const secret = randomBytes(32).toString('base64url');
  await database.query(
    `insert into console_sessions (workspace_id, hash, user_id, session_id, auth_time, acr, admitted_under, created_at, last_seen_at, expires_at)
     select (select workspace_id from console_installation), $2, user_id, 'ses_', now(), 'aal2', 'required', now(), now(), now() + interval '1 day'
     from team_members where workspace_id = $1 and role = 'owner' limit 1`,
    [workspaceId, createHash('sha256').update(secret).digest()],
  );
  return secret;
}

/** Calls the console's API as an operator, with the scope of the subject as headers. */
export async function operatorOf(database: pg.Client, { consoleUrl, workspaceId, projectId }: Subject): Promise<Get> {
  const secret = await operatorSession(database, workspaceId);
  const headers = {
    cookie: `latchkey-console=${secret}`,
    'x-workspace-id': workspaceId,
    'x-project-id': projectId,
    'x-environment': 'test',
  };
  return async (path) => {
    const response = await fetch(consoleUrl.replace('localhost', '127.0.0.1') + path, { headers });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
}

/** Typical requests for the large lists. */
const FILTERED = [
  '/console/v1/members?role=owner',
  '/console/v1/members?role=admin',
  '/console/v1/members?role=viewer',
  '/console/v1/members?status=blocked',
  '/console/v1/members?role=viewer&status=blocked',
  '/console/v1/members?role=owner&status=blocked',
  '/console/v1/members?q=ada&role=owner',
  '/console/v1/members?q=ada%20be&status=blocked',
  '/console/v1/members?createdAfter=2030-01-01T00:00:00.000Z',
  '/console/v1/event-log?type=membership.created',
  '/console/v1/event-log?type=user.login',
  '/console/v1/event-log?type=membership.*',
  '/console/v1/event-log?since=2030-01-01T00:00:00.000Z',
  '/console/v1/audit-events?actor=import',
  '/console/v1/projects?q=777',
  '/console/v1/projects?q=nothing-like-it',
  '/console/v1/search?q=ada',
  '/console/v1/search?q=nobody-at-all',
  '/console/v1/overview?days=90',
];

/** Measures every GET of the console's API. @returns the slowest, in milliseconds (95th percentile), slowest first */
export async function measureConsole(get: Get): Promise<[path: string, milliseconds: number][]> {
  const measured: [string, number][] = [];
  const paths = [...(await readablePaths(get)), ...FILTERED];
  for (const path of paths) {
    // biome-ignore lint/performance/noAwaitInLoops: one request after the other
    measured.push([path, await percentile95(ROUNDS, () => get(path))]);
  }
  return measured.sort(([, a], [, b]) => b - a);
}

/** Every path that returns JSON; paths of a single record use the first of its list. */
async function readablePaths(get: Get): Promise<string[]> {
  const { paths } = Object(await get('/console/v1/openapi.json'));
  const readable = Object.entries(Object(paths)).filter(([, operations]) => {
    const { parameters = [], responses } = Object(Object(operations).get);
    const required = parameters.some((one: { in: string; required?: boolean }) => one.in === 'query' && one.required);
    return !required && responses?.['200']?.content?.['application/json'] !== undefined;
  });
  const found: string[] = [];
  for (const [path] of readable) {
    // biome-ignore lint/performance/noAwaitInLoops: one request after the other
    const concrete = await withIds(get, path);
    if (concrete !== null && !concrete.endsWith('/export')) found.push(concrete);
  }
  return found;
}

async function withIds(get: Get, path: string): Promise<string | null> {
  const at = path.indexOf('{');
  if (at === -1) return path;
  const list = path.slice(0, at - 1);
  const { items = [] } = Object(await get(list).catch(() => ({})));
  const id = items[0]?.id;
  return id === undefined ? null : withIds(get, `${list}/${id}${path.slice(path.indexOf('}') + 1)}`);
}
