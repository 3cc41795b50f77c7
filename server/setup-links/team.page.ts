import { html } from 'hono/html';
import { Type } from 'typebox';
import {
  countInvitation,
  findInvitationTo,
  insideOnly,
  invite,
  invitingAs,
  listInvitations,
  resendInvitation,
  revokeInvitation,
} from '#invitations';
import { lockKnownRoles } from '#organizations';
import { transaction } from '#platform/ctx.ts';
import type { Reply } from '#platform/http.ts';
import { Email } from '#platform/identifiers.ts';
import type { Routes } from '#platform/route.ts';
import { action, done, idOf, page } from './forms.ts';
import { button, card, cardWithBack, dateOf, row, rows, show } from './show.ts';
import { asMakerOf } from './tasks.ts';
import { form, type Visit } from './visit.ts';
import { backingOf, changeByLink } from './visits.ts';

const MAX_LISTED = 100;

/** Invitations to the organization. */
export const teamRoutes: Routes = [
  page('team', '/team', { look: teamPage }),
  action('team', '/team', {
    fields: Type.Object({ email: Email, role: Type.String({ maxLength: 100 }) }),
    act: async (visit, { email, role }) => {
      const { ctx, link, voice } = visit;
      const organizationId = link.organization_id;
      await countInvitation(ctx, organizationId, email);
      const organizationRoles = role === '' ? [] : [role];
      const invitation = { email, organizationId, organizationRoles, locale: voice.language };
      await changeByLink(ctx, { link, task: 'team' }, (tx) => invite(tx, invitation, invitingAs(mayOf(visit))));
      return done(visit, '/team', 'sent');
    },
  }),
  page('team', '/team/:id', { list: '/team', look: (visit, { id }) => invitationPage(visit, id) }),
  action('team', '/team/:id', {
    fields: Type.Object({ do: Type.Enum(['resend', 'revoke']) }),
    act: async (visit, { do: does }, { id }) => {
      const { ctx, link } = visit;
      const ref = { organizationId: link.organization_id, invitationId: idOf('inv', id) };
      const { email } = await findInvitationTo(ctx, ref);
      if (does === 'resend') await countInvitation(ctx, link.organization_id, email);
      const change = does === 'resend' ? resendInvitation : revokeInvitation;
      const may = insideOnly(link.organization_id, mayOf(visit));
      await changeByLink(ctx, { link, task: 'team' }, async (tx) => {
        await change(tx, ref.invitationId, may);
      });
      return done(visit, '/team', does === 'resend' ? 'sent' : 'saved');
    },
  }),
];

function mayOf({ link }: Visit) {
  return asMakerOf(backingOf(link), link.roles);
}

async function teamPage(visit: Visit): Promise<Reply> {
  const { ctx, link, voice } = visit;
  const { say } = voice;
  const { items } = await listInvitations(ctx, { organizationId: link.organization_id, limit: MAX_LISTED });
  const list = items.map(({ id, email, organizationRoles, status, expiresAt }) =>
    row({
      title: email,
      detail: [...organizationRoles, say('setup.team.until', { date: dateOf(visit, expiresAt) })].join(' · '),
      tag: { text: say(`setup.team.${status}`), good: status === 'accepted' },
      href: `/team/${id}`,
      way: say('setup.open'),
    }),
  );
  const roles = await transaction(ctx, (tx) => lockKnownRoles(tx, link.roles));
  const choices = roles.map(({ key, name }) => html`<option value="${key}">${name}</option>`);
  const fields = html`<label>${say('setup.team.email')}<input type="email" name="email" required maxlength="254" autocomplete="off"></label><label>${say('setup.team.role')}<select name="role">${choices}<option value="">${say('setup.team.noRole')}</option></select></label>`;
  return show(visit, {
    section: 'team',
    title: say('setup.team'),
    body: html`${card(say('setup.team.invite'), html`<p class="lead">${say('setup.team.intro')}</p>${form(visit, '/team', html`${fields}<button>${say('setup.team.inviteAction')}</button>`)}`)}${list.length > 0 ? card(say('setup.team.invitations'), rows(list)) : ''}`,
  });
}

async function invitationPage(visit: Visit, id: string | undefined): Promise<Reply> {
  const { ctx, link, voice } = visit;
  const { say } = voice;
  const ref = { organizationId: link.organization_id, invitationId: idOf('inv', id) };
  const { id: invitationId, email, status } = await findInvitationTo(ctx, ref);
  const open = status === 'pending' || status === 'expired';
  const buttons = form(
    visit,
    `/team/${invitationId}`,
    html`<div class="actions">${button('resend', say('setup.team.resend'))}${button('revoke', say('setup.team.revoke'), 'second')}</div>`,
  );
  return show(visit, {
    section: 'team',
    title: email,
    body: cardWithBack(visit, '/team', html`<p class="lead">${say(`setup.team.${status}`)}</p>${open ? buttons : ''}`),
  });
}
