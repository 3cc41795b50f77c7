import { hash } from 'node:crypto';
import type Provider from 'oidc-provider';
import { singleWrite } from '#platform/single-writes.ts';
import type { System } from '#platform/system.ts';
import { type IssuerAddress, realmOf } from './clients.ts';
import { placeOf, routedLike } from './routed-ids.ts';

/** A one-time value, such as the id of a proof, and the client that uses it. */
type OneTime = { id: string; clientId: string };

const MODEL = 'ReplayDetection';

/** Made of the value and its client alone, so that a second use finds the first one whatever else the request says. */
function recordIdOf({ id, clientId }: OneTime): string {
  return routedLike(clientId, hash('sha256', `${clientId} ${id}`, 'base64url'));
}

/**
 * Marks a one-time value as used.
 * @returns false if it was used before; of concurrent calls, exactly one returns true
 */
export async function spendOnce(
  system: System,
  issuer: IssuerAddress,
  { seconds, ...value }: OneTime & { seconds: number },
): Promise<boolean> {
  const id = recordIdOf(value);
  const { numInsertedOrUpdatedRows } = await singleWrite(system, 'provider')
    .insertInto('oidc_records')
    .values({
      workspace_id: await placeOf(system, id),
      issuer: realmOf(issuer),
      model: MODEL,
      id,
      payload: JSON.stringify({ jti: id }),
      expires_at: new Date(system.clock.now().getTime() + seconds * 1000),
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

/** True if a one-time value was marked as used. */
export async function isSpent(system: System, issuer: IssuerAddress, value: OneTime): Promise<boolean> {
  const id = recordIdOf(value);
  const isMarked = (place: Awaited<ReturnType<typeof placeOf>>, marked: string) =>
    system.db
      .selectFrom('oidc_records')
      .select('id')
      .where('workspace_id', '=', place)
      .where('issuer', '=', realmOf(issuer))
      .where('model', '=', MODEL)
      .where('id', '=', marked)
      .where('expires_at', '>', system.clock.now())
      .executeTakeFirst();
  // Version 0.1.0 stores the value as it is, without a workspace.
  const found = await Promise.all([isMarked(await placeOf(system, id), id), isMarked('', value.id)]);
  return found.some((row) => row !== undefined);
}

/**
 * Makes the provider use {@link spendOnce} for the proofs of clients. The library itself reads before it writes, so two
 * requests could use one proof, and it knows no client at userinfo.
 */
export function useProofsOnce(provider: Provider, system: System, issuer: IssuerAddress): void {
  // The library computes `exp` from the time of the computer.
  provider.ReplayDetection.unique = (clientId, id, exp) =>
    spendOnce(system, issuer, { id, clientId, seconds: exp - Math.floor(Date.now() / 1000) });
}
