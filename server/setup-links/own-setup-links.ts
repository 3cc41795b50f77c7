import type { Static } from 'typebox';
import { inside } from '#organizations';
import type { Ctx } from '#platform/ctx.ts';
import type { OrganizationId } from '#platform/ids.ts';
import type { PageQuery } from '#platform/page.ts';
import { problem } from '#platform/problem.ts';
import {
  createSetupLink,
  getSetupLink,
  listSetupLinks,
  type NewSetupLink,
  revokeSetupLink,
  type SetupLinkRef,
} from './setup-links.ts';
import { ownRoles, ownTasks } from './tasks.ts';

/** What the links of an organization take inside it. Each task takes its own permission, too. */
const PERMISSION = 'org.profile:write';

type Ref = Static<typeof SetupLinkRef>;

/** @throws Problem NOT_FOUND, ORGANIZATION_BLOCKED, AUTHORIZATION_DENIED, INVALID_CURSOR */
export async function listOwnSetupLinks(ctx: Ctx, id: OrganizationId, query: Static<typeof PageQuery>) {
  await inside.require(ctx, id, PERMISSION);
  return listSetupLinks(ctx, id, query);
}

/** @throws Problem NOT_FOUND, ORGANIZATION_BLOCKED, AUTHORIZATION_DENIED */
export async function getOwnSetupLink(ctx: Ctx, ref: Ref) {
  await inside.require(ctx, ref.organizationId, PERMISSION);
  return getSetupLink(ctx, ref);
}

/** @throws Problem as {@link createSetupLink} */
export async function createOwnSetupLink(ctx: Ctx, id: OrganizationId, link: Static<typeof NewSetupLink>) {
  await inside.require(ctx, id, PERMISSION);
  return createSetupLink(ctx, id, link);
}

/** @throws Problem NOT_FOUND, ORGANIZATION_BLOCKED, AUTHORIZATION_DENIED */
export async function revokeOwnSetupLink(ctx: Ctx, ref: Ref): Promise<void> {
  await inside.require(ctx, ref.organizationId, PERMISSION);
  await revokeSetupLink(ctx, ref);
}

/** The seconds that a link works with which a member goes to the set-up pages themselves. */
const OWN_USE = 3_600;

/**
 * Makes a link for the signed-in member, with everything that they may set up and every role that they may give.
 * @returns its address
 * @throws Problem as {@link createSetupLink}
 */
export async function openOwnSetUp(ctx: Ctx, id: OrganizationId): Promise<string> {
  const tasks = (await ownTasks(ctx, [id])).get(id) ?? [];
  if (tasks.length === 0) throw problem('AUTHORIZATION_DENIED');
  const roles = await ownRoles(ctx, id, tasks);
  return (await createOwnSetupLink(ctx, id, { tasks: [...tasks], roles, expiresIn: OWN_USE })).url;
}
