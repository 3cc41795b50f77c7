import { Value } from 'typebox/value';
import type { CustomerActor, Environment, Scope } from '#platform/ctx.ts';
import { IdSchema } from '#platform/ids.ts';
import type { System } from '#platform/system.ts';
import { liveEntry } from '#sessions';
import { ctxOf } from './accounts.ts';
import { applicationOf } from './clients.ts';
import { issuerOf } from './provider.ts';

const UserId = IdSchema('usr');

/** Whose an opaque access token of the provider is, and in which session; undefined for any other text. */
export async function holderOf(
  system: System,
  environment: Environment,
  token: string,
): Promise<{ scope: Scope; actor: CustomerActor } | undefined> {
  const { provider } = await issuerOf(system, environment);
  const found = await provider.AccessToken.find(token);
  // One that is bound to a key is no bearer token (RFC 9449 §7.2).
  if (!found?.grantId || found.isSenderConstrained()) return undefined;
  const grant = await provider.Grant.find(found.grantId);
  const client = found.clientId && (await provider.Client.find(found.clientId));
  if (!grant?.sessionId || !client || !Value.Check(UserId, found.accountId)) return undefined;
  const { scope, db } = ctxOf(system, applicationOf(client));
  const { sessionId } = grant;
  const entryId = await liveEntry({ scope, db }, sessionId);
  return entryId && { scope, actor: { kind: 'customer', userId: found.accountId, sessionId, entryId } };
}
