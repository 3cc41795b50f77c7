import { html } from 'hono/html';
import { Type } from 'typebox';
import { acceptOwnInvitation, declineOwnInvitation, listOwnInvitations } from '#invitations';
import { form, type Markup } from '#pages';
import type { Reply } from '#platform/http.ts';
import { Problem, problem } from '#platform/problem.ts';
import type { Routes } from '#platform/route.ts';
import { action, idOf, type Named, page } from './forms.ts';
import { card, dateOf, formCard, show } from './show.ts';
import { BASE, explain, goTo, type Visit } from './visit.ts';

const MAX_INVITATIONS = 100;
const BACK = '/memberships';

/** Answering the invitations to the address of the person. */
export const invitationRoutes: Routes = [
  page('/invitations/:id', declinePage),
  action('/invitations/:id/accept', {
    back: BACK,
    fields: Type.Object({}),
    act: async (visit, _sent, { id }) => {
      try {
        await acceptOwnInvitation(visit.ctx, idOf('inv', id));
      } catch (error) {
        if (!(error instanceof Problem) || error.code !== 'CONFLICT') throw error;
        return goTo(visit, BACK, { fault: { code: 'ORGANIZATION_FULL' } });
      }
      return goTo(visit, BACK, { notice: 'saved' });
    },
  }),
  action('/invitations/:id/decline', {
    back: BACK,
    fields: Type.Object({}),
    act: async (visit, _sent, { id }) => {
      await declineOwnInvitation(visit.ctx, idOf('inv', id));
      return goTo(visit, BACK, { notice: 'saved' });
    },
  }),
];

type OwnInvitation = Awaited<ReturnType<typeof listOwnInvitations>>['items'][number];

/** What the person is invited to: an organization, or the project. */
function targetOf(visit: Visit, { organization }: OwnInvitation): string {
  return organization?.name ?? visit.voice.project;
}

/** The card with the open invitations; nothing if there is none. */
export async function invitationCard(visit: Visit): Promise<Markup> {
  const { say } = visit.voice;
  const { items } = await listOwnInvitations(visit.ctx, { limit: MAX_INVITATIONS });
  if (items.length === 0) return html``;
  const rows = items.map((invitation) => {
    const { id, roles, organizationRoles, expiresAt } = invitation;
    const target = html`<span class="visually-hidden"> ${targetOf(visit, invitation)}</span>`;
    const until = say('account.invitationUntil', { date: dateOf(visit, expiresAt) });
    return html`<li><div><span>${targetOf(visit, invitation)}</span><small>${[until, ...organizationRoles, ...roles].join(' · ')}</small></div><div class="ways">${form(visit, `/invitations/${id}/accept`, html`<button>${say('account.accept')}${target}</button>`)}<a href="${BASE}/invitations/${id}">${say('account.decline')}${target}</a></div></li>`;
  });
  return card(
    say('account.invitations'),
    html`<p class="lead">${say('account.invitationsIntro')}</p><ul class="rows">${rows}</ul>`,
  );
}

async function declinePage(visit: Visit, { id: wanted }: Named): Promise<Reply> {
  const { say } = visit.voice;
  const { items } = await listOwnInvitations(visit.ctx, { limit: MAX_INVITATIONS });
  const invitation = items.find(({ id }) => id === wanted);
  if (!invitation) return explain(visit, BACK, problem('NOT_FOUND'));
  return show(visit, {
    section: BACK,
    title: say('account.decline'),
    body: formCard(
      visit,
      BACK,
      html`<p>${say('account.declineAsk', { name: targetOf(visit, invitation) })}</p>${form(visit, `/invitations/${invitation.id}/decline`, html`<button class="danger">${say('account.decline')}</button>`)}`,
    ),
  });
}
