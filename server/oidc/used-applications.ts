import { findApplication, isAccountPage, isFirstParty } from '#applications';
import { type Ctx, customerOf, transaction } from '#platform/ctx.ts';
import type { SessionId } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import { sessionsOfUser } from '#sessions';
import { clientsOfSessions, revokeConsent } from './grants.ts';

const MAX_SESSIONS = 100;

/** The applications that use the newest sessions of the signed-in user. */
export async function usedApplications(ctx: Ctx) {
  const sessions = await sessionsOfUser(ctx, customerOf(ctx).userId, { limit: MAX_SESSIONS });
  const clients = await clientsOfSessions(
    ctx,
    sessions.map(({ id }) => id),
  );
  const bySession = [...clients].flatMap(([sessionId, ids]) => ids.map((clientId) => ({ sessionId, clientId })));
  const used = Map.groupBy(bySession, ({ clientId }) => clientId);
  // The account page belongs to Latchkey: its access can't be revoked.
  const others = [...used].filter(([clientId]) => !isAccountPage(clientId));
  const items = await Promise.all(others.map(([clientId, uses]) => described(ctx, clientId, uses)));
  return items.filter((item) => item !== undefined);
}

async function described(ctx: Ctx, clientId: string, uses: { sessionId: SessionId }[]) {
  const application = await findApplication(ctx.system, ctx.scope.environment, clientId);
  if (!application || application.workspaceId !== ctx.scope.workspaceId) return undefined;
  return {
    clientId,
    name: application.name,
    firstParty: isFirstParty(application),
    sessionIds: uses.map(({ sessionId }) => sessionId),
  };
}

/**
 * Revokes an application's access to the signed-in user.
 * @throws Problem NOT_FOUND when the application has no access to the person
 */
export async function takeBack(ctx: Ctx, clientId: string): Promise<void> {
  const application = await findApplication(ctx.system, ctx.scope.environment, clientId);
  if (!application || application.workspaceId !== ctx.scope.workspaceId) throw problem('NOT_FOUND');
  const had = await transaction(ctx, (tx) => revokeConsent(tx, customerOf(tx).userId, application));
  if (!had) throw problem('NOT_FOUND');
}
