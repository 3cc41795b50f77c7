import type { TxCtx } from '#platform/ctx.ts';
import type { ApplicationId } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import { acrossProjects } from '#platform/scoped.ts';
import type { Application } from './applications.ts';

/**
 * True for a first-party application. Only these get sessions: by a token at switch-context, by an exchange code at a
 * redirect address, by cookies from an origin. Tokens of other applications open userinfo, introspection and the
 * resource servers they were issued for. A self-registered application always counts as third-party (RFC 7591 §5).
 * Checked at every use, so that a change also affects issued tokens.
 */
export function isFirstParty({
  firstParty,
  selfRegistered,
}: Pick<Application, 'firstParty' | 'selfRegistered'>): boolean {
  return firstParty && !selfRegistered;
}

/**
 * A self-registered application can't be made first-party: its owner is unverified.
 * @throws Problem VALIDATION_FAILED
 */
export function checkParty({ registrationTokenId }: { registrationTokenId: string | null }, firstParty = false): void {
  if (registrationTokenId === null || !firstParty) return;
  const message = 'is false for an application that registered itself; add one of your own instead';
  throw problem('VALIDATION_FAILED', { extensions: { errors: [{ pointer: '/body/firstParty', message }] } });
}

/**
 * Locks an application until the transaction ends, so that disabling it, removing it or making it third-party waits and
 * then finds the new session.
 * @returns false if it may not have sessions
 */
export async function holdFirstParty(tx: TxCtx, which: { id: ApplicationId } | { clientId: string }): Promise<boolean> {
  const row = await tx.db
    .selectFrom('applications')
    .select(['first_party as firstParty', 'registration_token_id', 'enabled'])
    .where(acrossProjects(tx))
    .where((eb) => ('id' in which ? eb('id', '=', which.id) : eb('client_id', '=', which.clientId)))
    .forShare()
    .executeTakeFirst();
  return row?.enabled === true && isFirstParty({ ...row, selfRegistered: row.registration_token_id !== null });
}
