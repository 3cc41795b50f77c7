import { randomUUID } from 'node:crypto';
import { Value } from 'typebox/value';
import { boundAddresses } from '#domains';
import type { Environment } from '#platform/ctx.ts';
import type { System } from '#platform/system.ts';
import { type IssuerAddress, realmOf } from './clients.ts';
import { Ended } from './logout.ts';
import { commonIssuer, issuerOf } from './provider.ts';

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';

/**
 * Signs the logout token of one attempt. It is valid for two minutes, and the next attempt may be hours later (§2.4,
 * §2.5).
 */
export async function composeLogout(system: System, queued: string) {
  const { environment, issuer, clientId, subject, sid } = Value.Parse(Ended, JSON.parse(queued));
  const address = await addressOfIssuer(system, environment, issuer);
  // The keys of an issuer that is no longer served can't be read, so no client could verify the token.
  if (!address) return null;
  const { provider } = await issuerOf(system, address);
  const client = await provider.Client.find(clientId);
  if (!client) return null;
  const token = new provider.IdToken({ sub: subject }, { client });
  // As in the library: the subject is pairwise for clients that use pairwise subjects.
  Object.assign(token, { mask: { sub: null } });
  token.set('sid', sid);
  token.set('events', { [EVENT]: {} });
  token.set('jti', randomUUID());
  return {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ logout_token: await token.issue({ use: 'logout' }) }).toString(),
  };
}

/** The issuer of a record, if it is still served, and for the same project. */
async function addressOfIssuer(
  system: System,
  environment: Environment,
  realm: string,
): Promise<IssuerAddress | undefined> {
  const common = commonIssuer(system, environment);
  if (realm === common.url) return common;
  const host = URL.parse(realm.split(' ', 1)[0] ?? '')?.hostname ?? '';
  const found = await boundAddresses(system, 'auth', environment)(host);
  return found && realmOf(found) === realm ? { ...found, environment } : undefined;
}
