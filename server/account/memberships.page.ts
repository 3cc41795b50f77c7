import { html } from 'hono/html';
import { Type } from 'typebox';
import { chooseDefaultOrganization, defaultOrganizationOf } from '#default-organizations';
import { leaveProject, ownMemberships } from '#members';
import { organizationsOf } from '#organizations';
import { form, type Markup } from '#pages';
import type { Reply } from '#platform/http.ts';
import type { MemberId } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import type { Routes } from '#platform/route.ts';
import { action, idOf, type Named, page } from './forms.ts';
import { card, dateOf, formCard, row, show } from './show.ts';
import { explain, goTo, sayGoodbye, type Visit } from './visit.ts';

const MAX_MEMBERSHIPS = 100;
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
  const { items } = await ownMemberships(ctx, profile.userId, { limit: MAX_MEMBERSHIPS });
  return items.find((own) => own.id === id);
}

async function membershipsPage(visit: Visit): Promise<Reply> {
  const { say } = visit.voice;
  const { items } = await ownMemberships(visit.ctx, visit.profile.userId, { limit: MAX_MEMBERSHIPS });
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
    body: html`<section class="card"><p class="lead">${say('account.membershipsIntro')}</p><ul class="rows">${rows}</ul></section>${await defaultCard(visit, items)}`,
  });
}

/** Chooses among the person's organizations of this project; nothing for a person who is in none. */
async function defaultCard(visit: Visit, memberships: readonly { id: MemberId; projectId: string }[]): Promise<Markup> {
  const { ctx, voice, profile } = visit;
  const here = memberships.filter(({ projectId }) => projectId === ctx.scope.projectId).map(({ id }) => id);
  const organizations = await organizationsOf(ctx, here);
  if (organizations.length === 0) return html``;
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
