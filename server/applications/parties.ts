import type { TxCtx } from '#platform/ctx.ts';
import type { ApplicationId } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import { acrossProjects } from '#platform/scoped.ts';
import type { Application } from './applications.ts';

/**
 * True for an application of the project's own. Only these get sessions: by a token at switch-context, by an exchange code at
 * a redirect address, by cookies from an origin. Everybody else's tokens open userinfo, introspection and the resource servers
 * they were issued for. One that registered itself stays somebody else's whatever is set (RFC 7591 §5). Asked at every use, so
 * that a change counts for tokens that are out already.
 */
export function isFirstParty({
  firstParty,
  selfRegistered,
}: Pick<Application, 'firstParty' | 'selfRegistered'>): boolean {
  return firstParty && !selfRegistered;
}

/** What registered itself is not made first party by a switch: nobody checked whose it is. @throws Problem VALIDATION_FAILED */
export function checkParty({ registrationTokenId }: { registrationTokenId: string | null }, firstParty = false): void {
  if (registrationTokenId === null || !firstParty) return;
  const message = 'is false for an application that registered itself; add one of your own instead';
  throw problem('VALIDATION_FAILED', { extensions: { errors: [{ pointer: '/body/firstParty', message }] } });
}

/**
 * Holds an application until the transaction is done, for what is obtained through it: whoever switches it off, removes it or makes
 * it third party waits, and finds what was made. @returns false where it may have no sessions
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
