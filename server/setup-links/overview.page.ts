import { html } from 'hono/html';
import { Type } from 'typebox';
import { ownOriginsOf } from '#applications';
import { connectionSetUp } from '#connections';
import { emit } from '#events';
import { listInvitations } from '#invitations';
import { getOrganizationPolicy, organizationSetUp } from '#organizations';
import type { Reply } from '#platform/http.ts';
import type { Routes } from '#platform/route.ts';
import { listScimTokens } from '#scim';
import { action, page } from './forms.ts';
import { change, naming } from './setup-links.ts';
import { card, PAGES, row, rows, show } from './show.ts';
import type { Task } from './tasks.ts';
import { BASE, dropVisit, form, goTo, tokenOf, type Visit } from './visit.ts';
import { changeByLink, endVisit } from './visits.ts';

/** The first and the last page. */
export const overviewRoutes: Routes = [
  page(null, '', { look: overviewPage }),
  page(null, '/finish', { look: finishPage }),
  action(null, '/finish', { fields: Type.Object({}), act: finish }),
  action(null, '/leave', { back: '', fields: Type.Object({}), act: leave }),
];

type State = { text: string; good: boolean };

const LIMIT = 100;

/** How far each task is. */
const STATES: Readonly<Record<Task, (visit: Visit) => Promise<State>>> = {
  domains: async ({ ctx, link, voice: { say } }) => {
    const { items } = await organizationSetUp.listDomains(ctx, link.organization_id, { limit: LIMIT });
    const verified = items.filter(({ status }) => status === 'verified').length;
    if (items.length === 0) return { text: say('setup.state.none'), good: false };
    return { text: say('setup.state.domains', { count: verified, all: items.length }), good: verified > 0 };
  },
  connection: async ({ ctx, link, voice: { say } }) => {
    const { items } = await connectionSetUp.list(ctx, link.organization_id, { limit: LIMIT });
    if (items.length === 0) return { text: say('setup.state.none'), good: false };
    const on = items.filter(({ status }) => status === 'enabled');
    if (on.length === 0) return { text: say('setup.state.off'), good: false };
    return { text: say(on.some(({ required }) => required) ? 'setup.state.required' : 'setup.state.on'), good: true };
  },
  directory: async ({ ctx, link, voice: { say } }) => {
    const { items } = await listScimTokens(ctx, link.organization_id, { limit: LIMIT });
    if (items.length === 0) return { text: say('setup.state.none'), good: false };
    const used = items.some(({ lastUsedAt }) => lastUsedAt !== null);
    return { text: say(used ? 'setup.state.used' : 'setup.state.unused'), good: used };
  },
  policies: async ({ ctx, link, voice: { say } }) => {
    const policy = await getOrganizationPolicy(ctx, link.organization_id);
    const count = Object.values(policy).filter((value) => value !== null).length;
    return { text: say('setup.state.policies', { count }), good: count > 0 };
  },
  team: async ({ ctx, link, voice: { say } }) => {
    const { items } = await listInvitations(ctx, { organizationId: link.organization_id, limit: LIMIT });
    return { text: say('setup.state.team', { count: items.length }), good: items.length > 0 };
  },
};

async function overviewPage(visit: Visit): Promise<Reply> {
  const { tasks, organization, voice } = visit;
  const { say, project } = voice;
  const intro = say('setup.overviewIntro', { project, organization: organization.name });
  return show(visit, {
    section: 'overview',
    title: say('setup.title'),
    body: html`${card(say('setup.overview'), html`<p class="lead">${intro}</p>${await checklist(visit)}`)}<div class="actions"><a class="button" href="${BASE}${tasks[0] ? PAGES[tasks[0]].path : '/finish'}">${say('action.continue')}</a></div>`,
  });
}

async function checklist(visit: Visit) {
  const { say } = visit.voice;
  const states = await Promise.all(visit.tasks.map((task) => STATES[task](visit)));
  return rows(
    visit.tasks.map((task, index) => {
      const { text, good } = states[index] ?? { text: '', good: false };
      const { path, text: title } = PAGES[task];
      return row({
        title: say(title),
        detail: say(`setup.about.${task}`),
        tag: { text, good },
        href: path,
        way: say('setup.open'),
      });
    }),
  );
}

async function finishPage(visit: Visit): Promise<Reply> {
  const { link, voice } = visit;
  const { say, project } = voice;
  const isDone = link.completed_at !== null;
  const back = isDone ? await returnUrlOf(visit) : null;
  const way = back
    ? html`<div class="actions"><a class="button" href="${back}" target="_top">${say('setup.return', { project })}</a></div>`
    : '';
  const end = isDone
    ? html`<p class="done" role="status">${say('setup.finished', { project })}</p>${way}`
    : html`<p class="lead">${say('setup.finishIntro', { project })}</p>${form(visit, '/finish', html`<button>${say('setup.finishAction')}</button>`)}`;
  return show(visit, {
    section: 'finish',
    title: say('setup.finish'),
    body: html`${card(say('setup.overview'), await checklist(visit))}${card(say('setup.finish'), end)}`,
  });
}

/** The return address, while an application of the project still has its origin. */
async function returnUrlOf({ ctx, link: { return_url: url } }: Visit): Promise<string | null> {
  return url !== null && (await ownOriginsOf(ctx)).includes(new URL(url).origin) ? url : null;
}

async function finish(visit: Visit): Promise<Reply> {
  await changeByLink(visit.ctx, { link: visit.link, task: null }, async (tx, held) => {
    if (held.completed_at) return;
    await change(tx, held, { completed_at: tx.now });
    await emit(tx, 'organization.setup_link.completed', naming(held));
  });
  return goTo(visit, '/finish', {});
}

/** Ends the visit of this browser. The link can be opened again. */
async function leave(visit: Visit): Promise<Reply> {
  const token = tokenOf(visit.request);
  if (token !== undefined) await endVisit(visit.ctx, token);
  dropVisit(visit);
  return goTo(visit, '', {});
}
