import type Provider from 'oidc-provider';
import { Value } from 'typebox/value';
import { emit } from '#events';
import { type Environment, systemCtx, transaction } from '#platform/ctx.ts';
import { IdSchema } from '#platform/ids.ts';
import type { System } from '#platform/system.ts';
import { revokeSessions } from '#sessions';
import type { Bound } from './bound-sessions.ts';

const UserId = IdSchema('usr');

/**
 * Ends the Latchkey session, wherever it is used, when a user signs out at the provider (OpenID Connect RP-Initiated
 * Logout 1.0). The library destroys a browser's session for that reason only, after it has checked the secret of the
 * page. Ours ends first, because the record of the browser's session names the applications to notify.
 */
export function endOnLogout({ Session }: Provider, system: System, environment: Environment): void {
  const { destroy } = Session.prototype;
  Session.prototype.destroy = async function end(this: InstanceType<Provider['Session']>) {
    await endSession(system, environment, this);
    await destroy.call(this);
  };
}

async function endSession(
  system: System,
  environment: Environment,
  session: Bound & { accountId?: string | undefined },
) {
  const { sessionId, workspaceId, projectId, accountId } = session;
  if (!sessionId || !workspaceId || !projectId || !Value.Check(UserId, accountId)) return;
  const ctx = systemCtx(system, { workspaceId, projectId, environment }, 'oidc', 'oidc');
  await transaction(ctx, async (tx) => {
    await revokeSessions(tx, accountId, { only: sessionId }, 'logout');
    await emit(tx, 'user.logout', { userId: accountId, everywhere: false });
  });
}
