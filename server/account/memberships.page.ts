import { html } from 'hono/html';
import { listMemberships } from '#members';
import type { App } from '#platform/http.ts';
import { page } from './forms.ts';
import { dateOf, row, show } from './show.ts';

const MOST = 100;

/** The projects that the account opens. */
export function membershipRoutes(app: App): void {
  page(app, '/memberships', async (visit) => {
    const { say } = visit.voice;
    const { items } = await listMemberships(visit.ctx, visit.profile.userId, { limit: MOST });
    const rows = items.map(({ projectName, status, roles, joinedAt }) =>
      row({
        title: projectName,
        tag: status === 'active' ? '' : html`<span class="tag">${say('account.blocked')}</span>`,
        detail: [say('account.joinedOn', { date: dateOf(visit, joinedAt) }), roles.join(', ')]
          .filter(Boolean)
          .join(' · '),
        ways: [],
      }),
    );
    return show(visit, {
      section: '/memberships',
      title: say('account.memberships'),
      body: html`<section class="card"><p class="lead">${say('account.membershipsIntro')}</p><ul class="rows">${rows}</ul></section>`,
    });
  });
}
