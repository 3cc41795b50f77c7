import { html } from 'hono/html';
import { Type } from 'typebox';
import { RoleKey } from '#members';
import { lockKnownRoles } from '#organizations';
import type { Markup } from '#pages';
import { transaction } from '#platform/ctx.ts';
import type { Reply } from '#platform/http.ts';
import type { Routes } from '#platform/route.ts';
import { directoryGroups } from '#scim';
import { action, done, idOf, page, Seen } from './forms.ts';
import { card, cardWithBack, hidden, row, rows, show } from './show.ts';
import { asMakerOf } from './tasks.ts';
import { digestOf, form, requireSeen, type Visit } from './visit.ts';
import { backingOf, changeByLink } from './visits.ts';

const MAX_LISTED = 100;
const MAX_ROLES = 50;

/** The groups of the directory, and the roles that they give their members. */
export const groupRoutes: Routes = [
  page('directory', '/directory/groups/:id', { list: '/directory', look: (visit, { id }) => groupPage(visit, id) }),
  action('directory', '/directory/groups/:id', {
    fields: Type.Object({
      seen: Seen,
      roles: Type.Optional(Type.Union([RoleKey, Type.Array(RoleKey, { maxItems: MAX_ROLES })])),
    }),
    act: async (visit, { seen, roles = [] }, { id }) => {
      const { ctx, link } = visit;
      const ref = refOf(visit, id);
      await changeByLink(ctx, { link, task: 'directory' }, async (tx, held) => {
        requireSeen(seen, (await directoryGroups.get(tx, ref)).roles);
        const authority = asMakerOf(backingOf(held), held.roles);
        await directoryGroups.setRoles(tx, ref, {
          roles: [...new Set([roles].flat())],
          may: (within, affected) => authority(within, 'organization.directory.change', affected),
        });
      });
      return done(visit, `/directory/groups/${ref.groupId}`);
    },
  }),
];

function refOf({ link }: Visit, id: string | undefined) {
  return { organizationId: link.organization_id, groupId: idOf('scg', id) };
}

/** The newest groups; nothing before the directory has added one. */
export async function groupsCard({ ctx, link, voice: { say } }: Visit): Promise<Markup | ''> {
  const { items } = await directoryGroups.list(ctx, link.organization_id, { limit: MAX_LISTED });
  if (items.length === 0) return '';
  const list = items.map(({ id, name, memberCount, roles }) =>
    row({
      title: name,
      detail: [say('setup.group.members', { count: memberCount }), ...roles].join(' · '),
      href: `/directory/groups/${id}`,
      way: say('setup.open'),
    }),
  );
  return card(say('setup.group.title'), html`<p class="lead">${say('setup.group.intro')}</p>${rows(list)}`);
}

async function groupPage(visit: Visit, id: string | undefined): Promise<Reply> {
  const { ctx, link } = visit;
  const group = await directoryGroups.get(ctx, refOf(visit, id));
  const known = await transaction(ctx, (tx) => lockKnownRoles(tx, [...link.roles, ...group.roles]));
  const offered = known.filter(({ key }) => link.roles.includes(key));
  const mayChange = offered.length > 0 && group.roles.every((key) => link.roles.includes(key));
  const content = mayChange
    ? rolesForm(visit, group, offered)
    : fixedRoles(
        visit,
        known.filter(({ key }) => group.roles.includes(key)),
      );
  return show(visit, { section: 'directory', title: group.name, body: cardWithBack(visit, '/directory', content) });
}

type Group = { id: string; roles: readonly string[] };

function rolesForm(visit: Visit, { id, roles }: Group, offered: readonly { key: string; name: string }[]): Markup {
  const { say } = visit.voice;
  const boxes = offered.map(
    ({ key, name }) =>
      html`<label class="check"><input type="checkbox" name="roles" value="${key}"${roles.includes(key) ? ' checked' : ''}> ${name}</label>`,
  );
  const fields = html`${hidden('seen', digestOf(roles))}<fieldset><legend>${say('setup.group.roles')}</legend>${boxes}</fieldset><button>${say('account.save')}</button>`;
  return form(visit, `/directory/groups/${id}`, fields);
}

function fixedRoles({ voice: { say } }: Visit, held: readonly { name: string }[]): Markup {
  const names = held.map(({ name }) => name).join(', ');
  return html`${names && html`<p>${names}</p>`}<p class="lead">${say('setup.group.fixed')}</p>`;
}
