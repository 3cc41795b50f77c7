import type { Application } from '#applications';
import { addressesOf } from '#domains';
import type { Scope } from '#platform/ctx.ts';
import type { System } from '#platform/system.ts';

/** An application of the kind `saml`. */
export type ByAssertion = Application & { saml: NonNullable<Application['saml']> };

/** Our entity id for an application: the same at every address, so that a custom domain changes nothing there. */
export function entityIdOf({ id }: Pick<Application, 'id'>): string {
  return `urn:latchkey:application:${id}`;
}

/** Our addresses for an application, at one auth address. */
export function addressesAt(auth: string, { clientId }: Pick<Application, 'clientId'>) {
  const base = `${auth}/saml/${clientId}`;
  return {
    signOn: `${base}/sign-in`,
    logout: `${base}/logout`,
    metadata: `${base}/metadata`,
    start: `${base}/start`,
  };
}

/** The auth addresses of a project: its own ones first. */
export async function authAddresses(system: System, scope: Scope): Promise<string[]> {
  const { auth: own } = await addressesOf(system, scope);
  return [...own, system.config.addresses[scope.environment].auth];
}
