import { html } from 'hono/html';
import { deviceOf } from '#notices';
import { usedApplications } from '#oidc';
import type { Markup } from '#pages';
import type { Reply } from '#platform/http.ts';
import type { Routes } from '#platform/route.ts';
import { securityOf } from '#self';
import { page } from './forms.ts';
import { card, countryName, dateOf, row, show } from './show.ts';
import { BASE, type Visit } from './visit.ts';

type Security = Awaited<ReturnType<typeof securityOf>>;
type Used = Awaited<ReturnType<typeof usedApplications>>;

/** The user's sessions, and the applications with access to the account. */
export const sessionRoutes: Routes = [
  page('/sessions', async (visit) => {
    const [security, used] = await Promise.all([securityOf(visit.ctx), usedApplications(visit.ctx)]);
    return sessionsPage(visit, security, used);
  }),
];

export function sessionsPage(visit: Visit, { sessions, rememberedDevices }: Security, used: Used): Reply {
  const { say } = visit.voice;
  const remembered = rememberedDevices.map(({ id, userAgent, ip, lastUsedAt }) =>
    row({
      title: deviceOf(userAgent),
      detail: [ip, say('account.lastUsed', { date: dateOf(visit, lastUsedAt) })].filter(Boolean).join(', '),
      ways: [{ href: `/remove/device/${id}`, text: say('account.remove') }],
    }),
  );
  return show(visit, {
    section: '/sessions',
    title: say('account.sessions'),
    body: html`${sessionCard(visit, sessions, used)}${applicationCard(visit, used)}${remembered.length > 0 ? card(say('account.remembered'), html`<ul class="rows">${remembered}</ul>`) : ''}`,
  });
}

function sessionCard(visit: Visit, sessions: Security['sessions'], used: Used): Markup {
  const { say } = visit.voice;
  const rows = [...sessions]
    .sort((one, other) => Number(other.current) - Number(one.current))
    .map(({ id, current, userAgent, ip, country, lastSeenAt }) => {
      const names = used.filter(({ sessionIds }) => sessionIds.includes(id)).map(({ name }) => name);
      const seen = say('account.lastSeen', { date: dateOf(visit, lastSeenAt) });
      return row({
        title: deviceOf(userAgent),
        tag: current ? html`<span class="tag good">${say('account.thisDevice')}</span>` : '',
        detail: [names.join(', '), ip, countryName(visit, country), seen].filter(Boolean).join(' · '),
        ways: current ? [] : [{ href: `/remove/session/${id}`, text: say('logout.title') }],
      });
    });
  const others =
    sessions.length > 1
      ? html`<div class="actions"><a class="button second" href="${BASE}/remove/others">${say('account.endOthers')}</a></div>`
      : '';
  return card(say('account.devices'), html`<ul class="rows">${rows}</ul>${others}`);
}

function applicationCard({ voice: { say, project } }: Visit, used: Used): Markup {
  const rows = used.map(({ clientId, name, firstParty }) =>
    row({
      title: name,
      detail: firstParty ? project : say('account.thirdParty', { project }),
      ways: [{ href: `/remove/application/${clientId}`, text: say('account.remove') }],
    }),
  );
  return card(
    say('account.applications'),
    rows.length > 0
      ? html`<p class="lead">${say('account.applicationsIntro')}</p><ul class="rows">${rows}</ul>`
      : html`<p class="lead">${say('account.noApplications')}</p>`,
  );
}
