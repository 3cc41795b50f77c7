import type { Ctx, TxCtx } from './ctx.ts';
import type { MemberId, OrganizationId, UserId } from './ids.ts';

/** The requirements of an organization for entering it: the stricter of its own policy and the project's. */
export type EffectivePolicy = {
  /** The ways to sign in that the organization accepts. Null accepts all. */
  signInMethods: readonly string[] | null;
  mfaRequired: boolean;
  sessionIdleSeconds: number;
  sessionAbsoluteSeconds: number;
  /** Addresses and ranges (CIDR) that requests may come from. Null allows all. */
  addresses: readonly string[] | null;
};

export type InOrganization = { organizationId: OrganizationId; userId: UserId };

/** An organization of the scope's project with the roles and permissions of one person in it. */
export type Standing = {
  id: OrganizationId;
  name: string;
  slug: string | null;
  status: 'active' | 'blocked';
  /** Keys of roles in the organization. */
  roles: string[];
  /** The permissions of these roles. They apply only in the organization. */
  permissions: string[];
  policy: EffectivePolicy;
};

/**
 * Reads a person's standing in an organization, from the part that has organizations.
 * @returns undefined for an organization of another project, and for a person who is not in it
 */
export async function standingIn(ctx: Ctx | TxCtx, who: InOrganization): Promise<Standing | undefined> {
  for (const { standing } of ctx.system.parts) if (standing) return standing(ctx, who);
  return undefined;
}

/**
 * Checks that the session of the signed-in person may enter an organization now, by the part that decides who may enter.
 * @throws Problem of a refusal, or REAUTHENTICATION_REQUIRED
 */
export function requireEntering(ctx: Ctx, organizationId: OrganizationId): Promise<void> {
  for (const { requireEntering: require } of ctx.system.parts) if (require) return require(ctx, organizationId);
  throw new Error('No part decides who may enter organizations.');
}

/** A proof of a person, by the ways in that a session recorded. */
export type ShownProof = {
  userId: UserId;
  signInMethods: readonly string[];
  /** The ids that the request names: what is done in an organization names it. */
  about: readonly string[];
};

/**
 * Whether a proof counts for a change of the account, or in the organization that the request is about; from the part
 * that has connections. A proof without a connection always counts.
 */
export function proofCounts(ctx: Ctx | TxCtx, proof: ShownProof): Promise<boolean> {
  for (const { proofCounts: counts } of ctx.system.parts) if (counts) return counts(ctx, proof);
  throw new Error('No part has connections.');
}

/** A membership of an organization that is not blocked, with the roles in it. */
export type OrganizationMembership = {
  memberId: MemberId;
  organizationId: OrganizationId;
  name: string;
  /** Keys of roles in the organization. */
  roles: string[];
};

/** What the part that has organizations tells about many people at once. */
export type Organizations = {
  /** The memberships of these members of the scope's project in its active organizations. */
  memberships: (ctx: Ctx | TxCtx, memberIds: readonly MemberId[]) => Promise<OrganizationMembership[]>;
  /** The keys of the roles of organizations that grant each of these permissions. */
  rolesGranting: (ctx: Ctx | TxCtx, permissions: readonly string[]) => Promise<Map<string, string[]>>;
  /** Those of these organizations that the scope's project has. */
  known: (ctx: Ctx | TxCtx, ids: readonly OrganizationId[]) => Promise<ReadonlySet<OrganizationId>>;
};

export function organizationsIn({ system }: Pick<Ctx | TxCtx, 'system'>): Organizations {
  for (const { organizations } of system.parts) if (organizations) return organizations;
  throw new Error('No part has organizations.');
}
