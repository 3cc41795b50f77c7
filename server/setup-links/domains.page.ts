import { html } from 'hono/html';
import { Type } from 'typebox';
import { organizationSetUp } from '#organizations';
import type { Reply } from '#platform/http.ts';
import type { Routes } from '#platform/route.ts';
import { action, done, idOf, page, Seen } from './forms.ts';
import { button, card, cardWithBack, dateOf, hidden, row, rows, show, values } from './show.ts';
import { asMakerOf } from './tasks.ts';
import { digestOf, form, goTo, requireSeen, type Visit } from './visit.ts';
import { backingOf, changeByLink } from './visits.ts';

type Domain = ReturnType<typeof organizationSetUp.domainRecord>;

const MAX_LISTED = 100;

/** The mail domains of the organization. */
export const domainRoutes: Routes = [
  page('domains', '/domains', { look: domainsPage }),
  action('domains', '/domains', {
    fields: Type.Object({ host: Type.String({ minLength: 1, maxLength: 253 }) }),
    act: async (visit, { host }) => {
      const { ctx, link } = visit;
      const { id } = await changeByLink(ctx, { link, task: 'domains' }, (tx) =>
        organizationSetUp.claimDomain(tx, link.organization_id, host.trim()),
      );
      return goTo(visit, `/domains/${id}`, {});
    },
  }),
  page('domains', '/domains/:id', { list: '/domains', look: (visit, { id }) => domainPage(visit, id) }),
  action('domains', '/domains/:id', {
    fields: Type.Object({ do: Type.Enum(['check', 'join', 'leave', 'remove']), seen: Seen }),
    act: (visit, { do: does, seen }, { id }) => DOES[does](visit, { domainId: idOf('odm', id), seen }),
  }),
];

type Chosen = { domainId: Domain['id']; seen: string };

const DOES = {
  check: async (visit: Visit, { domainId }: Chosen) => {
    const ref = { organizationId: visit.link.organization_id, domainId };
    await organizationSetUp.verifyDomain(visit.ctx, await organizationSetUp.lookUpDomain(visit.ctx, ref));
    return done(visit, `/domains/${domainId}`, 'checked');
  },
  join: (visit: Visit, chosen: Chosen) => setJoining(visit, chosen, true),
  leave: (visit: Visit, chosen: Chosen) => setJoining(visit, chosen, false),
  remove: async (visit: Visit, { domainId }: Chosen) => {
    const { ctx, link } = visit;
    await changeByLink(ctx, { link, task: 'domains' }, (tx) =>
      organizationSetUp.deleteDomain(tx, { organizationId: link.organization_id, domainId }),
    );
    return done(visit, '/domains');
  },
};

/** Whether people join by the domain. The roles that they get stay those that the project chose. */
async function setJoining(visit: Visit, { domainId, seen }: Chosen, autoJoin: boolean): Promise<Reply> {
  const { ctx, link } = visit;
  const ref = { organizationId: link.organization_id, domainId };
  await changeByLink(ctx, { link, task: 'domains' }, async (tx) => {
    requireSeen(seen, shownOf(organizationSetUp.domainRecord(await organizationSetUp.findDomain(tx, ref))));
    await organizationSetUp.changeDomain(tx, ref, { autoJoin }, asMakerOf(backingOf(link), link.roles));
  });
  return done(visit, `/domains/${domainId}`);
}

/** What the form of a domain shows. */
function shownOf({ autoJoin, roles }: Domain) {
  return { autoJoin, roles };
}

function tagOf({ voice: { say } }: Visit, { status }: Domain) {
  return { text: say(`setup.domain.${status}`), good: status === 'verified' };
}

async function domainsPage(visit: Visit): Promise<Reply> {
  const { ctx, link, voice } = visit;
  const { say } = voice;
  const { items } = await organizationSetUp.listDomains(ctx, link.organization_id, { limit: MAX_LISTED });
  const list = items.map((domain) =>
    row({
      title: domain.host,
      detail: say('setup.domain.added', { date: dateOf(visit, domain.createdAt) }),
      tag: tagOf(visit, domain),
      href: `/domains/${domain.id}`,
      way: say('setup.open'),
    }),
  );
  const field = html`<label>${say('setup.domain.host')}<input name="host" required maxlength="253" placeholder="example.com" autocapitalize="none" spellcheck="false" autocomplete="off"></label>`;
  return show(visit, {
    section: 'domains',
    title: say('setup.domains'),
    body: html`${list.length > 0 ? card(say('setup.domains'), rows(list)) : ''}${card(
      say('setup.domain.add'),
      html`<p class="lead">${say('setup.domain.intro')}</p>${form(visit, '/domains', html`${field}<button>${say('setup.domain.addAction')}</button>`)}`,
    )}`,
  });
}

async function domainPage(visit: Visit, id: string | undefined): Promise<Reply> {
  const { ctx, link, voice } = visit;
  const { say } = voice;
  const ref = { organizationId: link.organization_id, domainId: idOf('odm', id) };
  const domain = organizationSetUp.domainRecord(await organizationSetUp.findDomain(ctx, ref));
  return show(visit, {
    section: 'domains',
    title: domain.host,
    body: html`${recordCard(visit, domain)}${joiningCard(visit, domain)}${cardWithBack(
      visit,
      '/domains',
      formOf(
        visit,
        domain,
        html`<p class="lead">${say('setup.domain.removeIntro')}</p>${button('remove', say('setup.remove'), 'second')}`,
      ),
    )}`,
  });
}

function formOf(visit: Visit, domain: Domain, content: ReturnType<typeof html>) {
  return form(visit, `/domains/${domain.id}`, html`${hidden('seen', digestOf(shownOf(domain)))}${content}`);
}

function recordCard(visit: Visit, domain: Domain) {
  const { say } = visit.voice;
  const { verification, checkedAt, status } = domain;
  const tag = tagOf(visit, domain);
  const pairs = [
    { label: say('setup.dns.type'), value: verification.type },
    { label: say('setup.dns.name'), value: verification.name },
    { label: say('setup.dns.value'), value: verification.value },
  ];
  const checked =
    checkedAt === null
      ? ''
      : html`<p class="hint">${say('setup.domain.checked', { date: dateOf(visit, checkedAt) })}</p>`;
  return card(
    say('setup.dns.title'),
    html`<p class="lead"><span class="tag${tag.good ? ' good' : ''}">${tag.text}</span> ${say(status === 'verified' ? 'setup.dns.keep' : 'setup.dns.intro')}</p>${values(pairs)}${checked}${formOf(visit, domain, button('check', say('setup.dns.check')))}`,
  );
}

function joiningCard(visit: Visit, domain: Domain) {
  const { say } = visit.voice;
  if (domain.status !== 'verified') return '';
  const { autoJoin, host } = domain;
  const text = say(autoJoin ? 'setup.join.on' : 'setup.join.off', { host });
  const change = autoJoin
    ? button('leave', say('setup.join.stop'), 'second')
    : button('join', say('setup.join.start'), 'second');
  return card(say('setup.join.title'), html`<p class="lead">${text}</p>${formOf(visit, domain, change)}`);
}
