import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Ctx } from '#platform/ctx.ts';
import { IdSchema } from '#platform/ids.ts';
import { get, type Routes } from '#platform/route.ts';
import { nullable } from '#platform/schemas.ts';
import { listProjects, Project } from '#tenancy';
import { listMembers } from './member-list.ts';
import { membersById } from './members.ts';
import { membershipsByUser } from './members-in-bulk.ts';

/** Maximum number of results of each kind. */
const MAX_FOUND = 8;

const Found = Type.Object({
  projects: Type.Array(Type.Object({ id: Project.properties.id, name: Project.properties.name })),
  members: Type.Array(
    Type.Object({
      id: IdSchema('mem'),
      email: nullable(Type.String()),
      displayName: nullable(Type.String()),
    }),
  ),
});

const UserIdSchema = IdSchema('usr');

/** Members by text, or the one with a whole user id. */
async function membersNamed(ctx: Ctx, q: string) {
  if (!Value.Check(UserIdSchema, q)) return listMembers(ctx, { limit: MAX_FOUND, q });
  const ids = [...(await membershipsByUser(ctx, [q])).values()].map(({ id }) => id);
  return { items: await membersById(ctx, ids) };
}

export const searchRoutes: Routes = [
  get('/console/v1/search', {
    permission: 'projects:read',
    summary: 'Search projects and members',
    description: `Up to ${MAX_FOUND} of each. Members of the project are included if you may read them.`,
    query: Type.Object({ q: Type.String({ minLength: 1, maxLength: 100 }) }),
    responses: { 200: Found },
    handler: async ({ ctx, query: { q } }) => {
      const mayLook = ctx.actor.kind === 'operator' && ctx.actor.permissions.includes('members:read');
      const [projects, members] = await Promise.all([
        listProjects(ctx, { limit: MAX_FOUND, q }),
        mayLook ? membersNamed(ctx, q) : { items: [] },
      ]);
      return {
        projects: projects.items.flatMap(({ id, name, deletesAt }) => (deletesAt === null ? [{ id, name }] : [])),
        members: members.items.map(({ id, email, displayName }) => ({ id, email, displayName })),
      };
    },
  }),
];
