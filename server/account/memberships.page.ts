import { html } from 'hono/html';
import { Type } from 'typebox';
import { chooseDefaultOrganization, defaultOrganizationOf } from '#default-organizations';
import { leaveProject, membershipsOf } from '#members';
import { organizationsOf } from '#organizations';
import { form, type Markup } from '#pages';
import type { Reply } from '#platform/http.ts';
import type { MemberId } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import type { Routes } from '#platform/route.ts';
import { openOwnSetUp, ownTasks } from '#setup-links';
import { action, idOf, type Named, page } from './forms.ts';
import { invitationCard } from './invitations.page.ts';
import { card, dateOf, formCard, row, show } from './show.ts';
import { explain, goTo, sayGoodbye, type Visit } from './visit.ts';

const MAX_MEMBERSHIPS = 100;
const MAX_SET_UP = 20;
const freshProof = 'any factor';

/** The projects of the account, and leaving them. */
export const membershipRoutes: Routes = [
  page('/memberships', membershipsPage),
  page('/memberships/:id', leavePage, { freshProof }),
  action('/memberships/:id', {
    freshProof,
    back: '/memberships',
    fields: Type.Object({}),
    act: async (visit, _sent, { id }) => {
      const { projectId } = (await membershipOf(visit, id)) ?? {};
      await leaveProject(visit.ctx, idOf('mem', id));
      // A user who leaves this project is signed out of its account page.
      return projectId === visit.ctx.scope.projectId
        ? sayGoodbye(visit, 'left')
        : goTo(visit, '/memberships', { notice: 'saved' });
    },
  }),
  action('/organizations/:id/set-up', {
    freshProof: 'second factor',
    back: '/memberships',
    fields: Type.Object({}),
    act: async ({ ctx, reply }, _sent, { id }) => reply.redirect(await openOwnSetUp(ctx, idOf('org', id)), 303),
  }),
  action('/default-organization', {
    back: '/memberships',
    fields: Type.Object({ organizationId: Type.String({ maxLength: 100 }) }),
    act: async (visit, { organizationId: id }) => {
      await chooseDefaultOrganization(visit.ctx, { organizationId: id === '' ? null : idOf('org', id) });
      return goTo(visit, '/memberships', { notice: 'saved' });
    },
  }),
];

async function membershipOf({ ctx, profile }: Visit, id: string | undefined) {
  const { items } = await membershipsOf.own(ctx, profile.userId, { limit: MAX_MEMBERSHIPS });
  return items.find((own) => own.id === id);
}

export async function membershipsPage(visit: Visit): Promise<Reply> {
  const { say } = visit.voice;
  const { items } = await membershipsOf.own(visit.ctx, visit.profile.userId, { limit: MAX_MEMBERSHIPS });
  const rows = items.map(({ id, projectName, status, roles, joinedAt }) =>
    row({
      title: projectName,
      tag: status === 'active' ? '' : html`<span class="tag">${say('account.blocked')}</span>`,
      detail: [say('account.joinedOn', { date: dateOf(visit, joinedAt) }), roles.join(', ')]
        .filter(Boolean)
        .join(' · '),
      ways: status === 'active' ? [{ href: `/memberships/${id}`, text: say('account.leave') }] : [],
    }),
  );
  return show(visit, {
    section: '/memberships',
    title: say('account.memberships'),
    // The set-up pages may be at another address of the project.
    leaves: true,
    body: html`<section class="card"><p class="lead">${say('account.membershipsIntro')}</p><ul class="rows">${rows}</ul></section>${await invitationCard(visit)}${await organizationCards(visit, items)}`,
  });
}

type Organizations = Awaited<ReturnType<typeof organizationsOf>>;

/** The cards about the person's organizations of this project; nothing for a person who is in none. */
async function organizationCards(
  visit: Visit,
  memberships: readonly { id: MemberId; projectId: string }[],
): Promise<Markup> {
  const { ctx } = visit;
  const here = memberships.filter(({ projectId }) => projectId === ctx.scope.projectId).map(({ id }) => id);
  const organizations = await organizationsOf(ctx, here);
  if (organizations.length === 0) return html``;
  return html`${await setUpCard(visit, organizations)}${await defaultCard(visit, organizations)}`;
}

/** The organizations that the person may set up; nothing if there is none. */
async function setUpCard(visit: Visit, organizations: Organizations): Promise<Markup> {
  const { say } = visit.voice;
  const active = organizations.filter(({ status }) => status === 'active').slice(0, MAX_SET_UP);
  const tasks = await ownTasks(
    visit.ctx,
    active.map(({ id }) => id),
  );
  const rows = active
    .filter(({ id }) => (tasks.get(id) ?? []).length > 0)
    .map(
      ({ id, name, roles }) =>
        html`<li><div><span>${name}</span><small>${roles.join(', ')}</small></div><div class="ways">${form(visit, `/organizations/${id}/set-up`, html`<button class="second">${say('account.setUp')}<span class="visually-hidden"> ${name}</span></button>`)}</div></li>`,
    );
  if (rows.length === 0) return html``;
  return card(
    say('account.organizations'),
    html`<p class="lead">${say('account.organizationsIntro')}</p><ul class="rows">${rows}</ul>`,
  );
}

async function defaultCard(visit: Visit, organizations: Organizations): Promise<Markup> {
  const { ctx, voice, profile } = visit;
  const current = await defaultOrganizationOf(ctx, profile.userId);
  const options = organizations
    .filter(({ id, status }) => status === 'active' || id === current)
    .map(({ id, name }) => html`<option value="${id}" ${id === current ? 'selected' : ''}>${name}</option>`);
  const { say } = voice;
  return card(
    say('account.defaultOrganization'),
    html`<p class="lead" id="default-about">${say('account.defaultOrganizationIntro')}</p>${form(
      visit,
      '/default-organization',
      html`<label><span class="visually-hidden">${say('account.defaultOrganization')}</span><select name="organizationId" aria-describedby="default-about"><option value="">${say('account.noDefault')}</option>${options}</select></label>
<button>${say('account.save')}</button>`,
    )}`,
  );
}

async function leavePage(visit: Visit, { id }: Named): Promise<Reply> {
  const { say } = visit.voice;
  const membership = await membershipOf(visit, id);
  if (!membership) return explain(visit, '/memberships', problem('NOT_FOUND'));
  return show(visit, {
    section: '/memberships',
    title: say('account.leave'),
    body: formCard(
      visit,
      '/memberships',
      html`<p>${say('account.leaveAsk', { project: membership.projectName })}</p>${form(visit, `/memberships/${membership.id}`, html`<button class="danger">${say('account.leave')}</button>`)}`,
    ),
  });
}
