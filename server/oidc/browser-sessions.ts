import { Value } from 'typebox/value';
import type { Scope } from '#platform/ctx.ts';
import type { Reply, Request } from '#platform/http.ts';
import { IdSchema, type SessionId, type UserId } from '#platform/ids.ts';
import { issuerOf } from './provider.ts';

const UserIdSchema = IdSchema('usr');

/** The user who is signed in in a browser, the session, and the project in which it started. */
export type BrowserSession = { userId: UserId; sessionId: SessionId; scope: Scope };

/**
 * The sign-in of the requesting browser, by the provider's cookie.
 * @returns undefined when there is none, or it has ended
 */
export async function browserSession(request: Request, reply: Reply): Promise<BrowserSession | undefined> {
  const { address, server } = request;
  const { system, host } = server;
  if (host.environment === null) throw new Error('Browsers are signed in on a host with an environment.');
  const { provider } = await issuerOf(system, { ...address, environment: host.environment });
  const session = await provider.Session.get(provider.createContext(request.raw, reply.raw));
  const { accountId, sessionId, endsAt, workspaceId, projectId } = session;
  if (!Value.Check(UserIdSchema, accountId) || !sessionId || !workspaceId || !projectId) return undefined;
  if (endsAt === undefined || endsAt * 1000 <= system.clock.now().getTime()) return undefined;
  return { userId: accountId, sessionId, scope: { workspaceId, projectId, environment: host.environment } };
}
