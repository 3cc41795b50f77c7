import type { Ctx, TxCtx } from './ctx.ts';
import type { OrganizationId, UserId } from './ids.ts';

/** What an organization requires of those who enter it: the stricter of its own policy and the project's. */
export type EffectivePolicy = {
  /** The ways in that count; null: each. */
  signInMethods: readonly string[] | null;
  mfaRequired: boolean;
  sessionIdleSeconds: number;
  sessionAbsoluteSeconds: number;
  /** Addresses and ranges (CIDR) that requests may come from; null: any. */
  addresses: readonly string[] | null;
};

export type InOrganization = { organizationId: OrganizationId; userId: UserId };

/** What a person is in an organization of the scope's project. */
export type Standing = {
  id: OrganizationId;
  name: string;
  slug: string | null;
  status: 'active' | 'blocked';
  /** Keys of roles in the organization. */
  roles: string[];
  /** What these roles grant in the organization, and nowhere else. */
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
