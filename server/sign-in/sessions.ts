import { requireAdmitted, requireStillAdmitted } from '#admission';
import { findProject } from '#environments';
import { emit } from '#events';
import { entering, holdRoles } from '#members';
import { type Ctx, customerOf, type TxCtx, transaction } from '#platform/ctx.ts';
import type { OrganizationId, ProjectId, SessionId, UserId, WorkspaceId } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import { at } from '#platform/scoped.ts';
import { standingIn } from '#platform/standing.ts';
import {
  enterProject,
  issueRefreshToken,
  type ProvenEntry,
  revokeSessions,
  type SessionResponse,
  sessionResponse,
} from '#sessions';
import { Passage } from '#ways';

/** Signs out of this session, or of every session of the user. */
export async function logout(ctx: Ctx | TxCtx, everywhere: boolean): Promise<void> {
  const { userId, sessionId } = customerOf(ctx);
  await transaction(ctx, async (tx) => {
    await revokeSessions(tx, userId, everywhere ? 'all' : { only: sessionId }, 'logout');
    await emit(tx, 'user.logout', { userId, everywhere });
  });
}

/** The project to enter, as named in the request. */
export type Target = {
  workspaceId: WorkspaceId;
  projectId: ProjectId;
  environment: 'test' | 'production' | 'prod';
  /** The organization of the project to enter; null for none. */
  organizationId?: OrganizationId | null | undefined;
};

/**
 * Takes the session into another project of its workspace and environment, or into an organization. Admission is decided
 * now; the authentication level does not change (SE-7).
 * @throws Problem CONTEXT_NOT_ALLOWED, MEMBERSHIP_REQUIRED, MEMBER_BLOCKED, SESSION_REVOKED, REAUTHENTICATION_REQUIRED,
 * NOT_FOUND for an organization that the person is not in, ORGANIZATION_BLOCKED, ORGANIZATION_ADDRESS,
 * ORGANIZATION_METHOD
 */
export async function switchContext(ctx: Ctx, target: Target): Promise<SessionResponse> {
  const { organizationId = null } = target;
  const environment = target.environment === 'prod' ? 'production' : target.environment;
  if (target.workspaceId !== ctx.scope.workspaceId || environment !== ctx.scope.environment)
    throw problem('CONTEXT_NOT_ALLOWED');
  const there = at(ctx, { projectId: target.projectId });
  if (!(await findProject(ctx.system, there.scope))) throw problem('MEMBERSHIP_REQUIRED');
  const way = new Passage(ctx, 'switch_context');
  const customer = way.passed('credential', customerOf(ctx));
  const issued = await transaction(there, (tx) =>
    enterWithSession(tx, way, { ...customer, organizationId, fromProjectId: ctx.scope.projectId }),
  );
  return sessionResponse(there, issued);
}

type Entering = {
  userId: UserId;
  sessionId: SessionId;
  fromProjectId: ProjectId;
  organizationId: OrganizationId | null;
};

/**
 * Takes a session into `tx.scope`'s project, if its proof suffices. Decided again even if the session is in the project
 * already, because the policy or the user's factors may have changed since.
 * @throws Problem MEMBERSHIP_REQUIRED, MEMBER_BLOCKED, SESSION_REVOKED, REAUTHENTICATION_REQUIRED
 */
export async function enterWithSession(
  tx: TxCtx,
  way: Passage,
  { userId, sessionId, fromProjectId, organizationId }: Entering,
) {
  const entrance = way.entrance();
  const isInside = async () => fromProjectId === tx.scope.projectId;
  // Every transaction locks an organization before its members, and a member before their sessions.
  if (organizationId === null) await holdRoles(tx, userId);
  else await standingIn(tx, { organizationId, userId });
  const entry = await enterProject(tx, {
    sessionId,
    fromProjectId,
    organizationId,
    admit: (proof) => requireAdmitted(tx, entrance, { userId, organizationId, proof, isInside }),
  });
  await entering.note(tx, userId);
  return issueRefreshToken(tx, entry);
}

/**
 * Lets an entry go on when its tokens are renewed; the policy may be stricter by now.
 * @returns whether it was decided again
 * @throws Problem REAUTHENTICATION_REQUIRED, MEMBER_BLOCKED, MEMBERSHIP_REQUIRED
 */
export function admitAgain(ctx: Ctx, entry: ProvenEntry): Promise<boolean> {
  const way = new Passage(ctx, 'refresh');
  way.passed('credential', entry);
  return requireStillAdmitted(ctx, way.entrance(), entry);
}
