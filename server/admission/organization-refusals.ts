import { isConnection, type ThroughConnections } from '#connections';
import { trustsSource } from '#platform/source.ts';
import type { Standing } from '#platform/standing.ts';
import type { OrganizationRefusal } from './decision.ts';

/** How a person enters an organization. `ip` is undefined if an application sends the request in their place. */
type Arrival = {
  ip: string | null | undefined;
  signInMethods: readonly string[];
  through: Pick<ThroughConnections, 'isOwn' | 'isRequired'>;
};

/** The first reason why a person may not enter an organization; null if they may. */
export function organizationRefusal(standing: Standing | undefined, arrival: Arrival): OrganizationRefusal | null {
  if (!standing) return 'no_organization';
  if (standing.status === 'blocked') return 'organization_blocked';
  const { addresses } = standing.policy;
  if (addresses && arrival.ip !== undefined && !trustsSource(addresses)(arrival.ip ?? undefined))
    return 'organization_address';
  return hasMethod(standing, arrival) ? null : 'organization_method';
}

/**
 * Whether the person signed in by a method that the organization allows. Its own connections are always allowed, and those
 * of other organizations never.
 */
function hasMethod({ policy }: Standing, { signInMethods, through }: Arrival): boolean {
  if (through.isOwn) return true;
  if (through.isRequired) return false;
  if (policy.signInMethods) return policy.signInMethods.some((method) => signInMethods.includes(method));
  return signInMethods.length === 0 || signInMethods.some((method) => !isConnection(method));
}
