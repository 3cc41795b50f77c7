import type { Task } from 'graphile-worker';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Environment } from '#platform/ctx.ts';
import type { System } from '#platform/system.ts';
import { boundAddresses } from '#tenancy';
import { type IssuerAddress, realmOf } from './clients.ts';
import { commonIssuer, issuerOf } from './provider.ts';

const LogoutMessage = Type.Object({
  environment: Type.Enum(['test', 'production']),
  issuer: Type.Optional(Type.String()),
  clientId: Type.String(),
  subject: Type.String(),
  sid: Type.String(),
});

declare module '#platform/jobs.ts' {
  interface Jobs {
    backchannel_logout: Static<typeof LogoutMessage>;
  }
}

/** The issuer that a record was made at, if it is served, and for the same project, still. */
async function addressOfIssuer(
  system: System,
  environment: Environment,
  realm: string | undefined,
): Promise<IssuerAddress | undefined> {
  const common = commonIssuer(system, environment);
  if (realm === undefined || realm === common.url) return common;
  const host = URL.parse(realm.split(' ', 1)[0] ?? '')?.hostname ?? '';
  const found = await boundAddresses(system, 'auth', environment)(host);
  return found && realmOf(found) === realm ? { ...found, environment } : undefined;
}

/** Tells one client that a session ended. Thrown errors make the worker try again, for days. */
export function backchannelLogoutTask(system: System): Task {
  return async (payload) => {
    const { environment, issuer, clientId, subject, sid } = Value.Parse(LogoutMessage, payload);
    const address = await addressOfIssuer(system, environment, issuer);
    // The keys of an issuer that is served no more can't be read, so nobody could check what it says.
    if (!address) return;
    const { tellOfLogout } = await issuerOf(system, address);
    await tellOfLogout(clientId, subject, sid);
  };
}
