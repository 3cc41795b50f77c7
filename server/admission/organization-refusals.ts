import { trustsSource } from '#platform/source.ts';
import type { Standing } from '#platform/standing.ts';
import type { OrganizationRefusal } from './decision.ts';

/** How a person comes to an organization; an address is undefined where the request is not the person's own. */
type Coming = { ip: string | null | undefined; signInMethods: readonly string[] };

/** What keeps a person from an organization; null if nothing does. The first that applies is told. */
export function organizationRefusal(standing: Standing | undefined, coming: Coming): OrganizationRefusal | null {
  if (!standing) return 'no_organization';
  if (standing.status === 'blocked') return 'organization_blocked';
  const { addresses, signInMethods } = standing.policy;
  if (addresses && coming.ip !== undefined && !trustsSource(addresses)(coming.ip ?? undefined))
    return 'organization_address';
  const hasMethod = signInMethods?.some((method) => coming.signInMethods.includes(method)) ?? true;
  return hasMethod ? null : 'organization_method';
}
