import { projectOf } from '#environments';
import type { TxCtx } from '#platform/ctx.ts';
import { limits } from '#platform/limits.ts';
import { problem } from '#platform/problem.ts';

type Limit = {
  /** Begins the sentence that a person reads. */
  whose: 'This project' | 'An organization' | 'You';
  what: string;
  /** The number, or the project setting that holds it. */
  max: number | 'maxOrganizations' | 'maxOrganizationMembers' | 'maxOwnOrganizations';
  /** What is counted, if it is not only the records that exist. */
  counting?: string;
};

/**
 * How many there may be of everything that organizations have. Each holds exactly, also under parallel requests: an
 * addition locks what it belongs to and counts first.
 */
export const organizationLimits = {
  organizations: { whose: 'This project', what: 'organizations', max: 'maxOrganizations' },
  roles: { whose: 'This project', what: 'own roles of organizations', max: 100 },
  ownOrganizations: { whose: 'You', what: 'organizations as their owner', max: 'maxOwnOrganizations' },
  members: {
    whose: 'An organization',
    what: 'members',
    max: 'maxOrganizationMembers',
    counting: 'For an invitation, open invitations count.',
  },
  domains: { whose: 'An organization', what: 'mail domains', max: 20 },
  customDomains: { whose: 'An organization', what: 'custom domains', max: 3 },
  connections: { whose: 'An organization', what: 'connections', max: 10 },
  directoryTokens: { whose: 'An organization', what: 'SCIM tokens', max: 10 },
  directoryGroups: { whose: 'An organization', what: 'groups of its directories', max: 1_000 },
  setupLinks: {
    whose: 'An organization',
    what: 'set-up links that work',
    max: 10,
    counting: 'Expired and revoked ones do not count.',
  },
} as const satisfies Record<string, Limit>;

export type OrganizationLimit = keyof typeof organizationLimits;

/** How often people of an organization may do what costs others: mails, calls to their servers, look-ups. */
export const rates = {
  'organization-invitations': { points: 100, seconds: 3_600, what: 'invitations that members of an organization send' },
  'organization-invitations-address': { points: 10, seconds: 3_600, what: 'such invitations to one address' },
  'setup-link-mails': { points: 20, seconds: 3_600, what: 'mails with set-up links of an organization' },
  'setup-link-mails-address': { points: 10, seconds: 3_600, what: 'such mails to one address' },
  'organization-connection-calls': {
    points: 20,
    seconds: 600,
    what: 'calls to the identity providers that members of an organization name',
  },
  'setup-link-calls': { points: 20, seconds: 600, what: 'such calls through one set-up link' },
  'organization-domain-verify': { points: 10, seconds: 60, what: 'look-ups of one mail domain by hand' },
} as const;

export const organizationRates = limits(rates);

/** The number that a limit has in the project. */
export async function maximumOf(tx: TxCtx, name: OrganizationLimit): Promise<number> {
  const { max } = organizationLimits[name];
  if (typeof max === 'number') return max;
  return (await projectOf(tx.system, tx.scope, tx.db)).settings[max];
}

/**
 * What is wrong with adding one more.
 * @param current how many there are; the caller has locked what they belong to
 * @returns null if there is room
 */
export async function limitFault(tx: TxCtx, name: OrganizationLimit, current: number) {
  const limit = await maximumOf(tx, name);
  if (current < limit) return null;
  const { whose, what, max, counting }: Limit = organizationLimits[name];
  const where = typeof max === 'number' ? '' : ` (\`${max}\` of the project’s settings)`;
  const detail = `${whose} may have up to ${limit} ${what}${where}.${counting ? ` ${counting}` : ''}`;
  return { detail, extensions: { limitOf: name, limit, current } };
}

/**
 * Refuses one more beyond a limit.
 * @param current how many there are; the caller has locked what they belong to, so that the limit is exact
 * @throws Problem CONFLICT with `limitOf`, `limit` and `current`
 */
export async function requireOrganizationRoom(tx: TxCtx, name: OrganizationLimit, current: number): Promise<void> {
  const fault = await limitFault(tx, name, current);
  if (fault) throw problem('CONFLICT', fault);
}
