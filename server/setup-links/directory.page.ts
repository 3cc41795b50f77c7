import { html } from 'hono/html';
import { Type } from 'typebox';
import { addressesOf } from '#domains';
import type { Reply } from '#platform/http.ts';
import type { Routes } from '#platform/route.ts';
import { deleteScimToken, getScimToken, issueScimToken, listScimTokens, SCIM_PATH } from '#scim';
import { action, done, idOf, page } from './forms.ts';
import { groupsCard } from './groups.page.ts';
import { steps } from './guides.ts';
import { card, cardWithBack, dateOf, row, rows, show, values } from './show.ts';
import { form, goTo, keepStep, type Visit } from './visit.ts';
import { changeByLink } from './visits.ts';

const MAX_LISTED = 100;

/** The directory of the organization: the address of SCIM, and its tokens. */
export const directoryRoutes: Routes = [
  page('directory', '/directory', { look: directoryPage }),
  action('directory', '/directory', {
    fields: Type.Object({ name: Type.String({ minLength: 1, maxLength: 100, pattern: '\\S' }) }),
    act: async (visit, { name }) => {
      const { ctx, link } = visit;
      const { token } = await changeByLink(ctx, { link, task: 'directory' }, (tx) =>
        issueScimToken(tx, link.organization_id, { name }),
      );
      return goTo(visit, '/directory', { issued: token });
    },
  }),
  page('directory', '/directory/:id', { list: '/directory', look: (visit, { id }) => tokenPage(visit, id) }),
  action('directory', '/directory/:id', {
    fields: Type.Object({}),
    act: async (visit, _sent, { id }) => {
      const { ctx, link } = visit;
      await changeByLink(ctx, { link, task: 'directory' }, (tx) =>
        deleteScimToken(tx, link.organization_id, idOf('sct', id)),
      );
      return done(visit, '/directory');
    },
  }),
];

async function directoryPage(visit: Visit): Promise<Reply> {
  const { ctx, link, voice, step } = visit;
  const { say } = voice;
  const { items } = await listScimTokens(ctx, link.organization_id, { limit: MAX_LISTED });
  const { issued, ...rest } = step;
  // Shown once.
  if (issued !== undefined) keepStep(visit, rest);
  const list = items.map(({ id, name, createdAt, lastUsedAt }) =>
    row({
      title: name,
      detail: say('setup.scim.issuedOn', { date: dateOf(visit, createdAt) }),
      tag: { text: say(lastUsedAt ? 'setup.state.used' : 'setup.state.unused'), good: lastUsedAt !== null },
      href: `/directory/${id}`,
      way: say('setup.remove'),
    }),
  );
  return show(visit, {
    section: 'directory',
    title: say('setup.directory'),
    body: html`${issued === undefined ? '' : card(say('setup.scim.token'), html`<p class="lead">${say('setup.scim.tokenOnce')}</p>${values([{ label: say('setup.scim.token'), value: issued }])}`)}
${card(say('setup.scim.address'), html`<p class="lead">${say('setup.scim.intro')}</p>${values([{ label: say('setup.scim.address'), value: await scimAddress(visit) }])}`)}
${card(say('setup.scim.steps'), html`${steps(visit, 'Microsoft Entra ID', ['setup.scim.entra1', 'setup.scim.entra2', 'setup.scim.entra3'])}${steps(visit, 'Okta', ['setup.scim.okta1', 'setup.scim.okta2', 'setup.scim.okta3'])}`)}
${card(say('setup.scim.tokens'), html`${list.length > 0 ? rows(list) : ''}${form(visit, '/directory', html`<label>${say('setup.scim.name')}<input name="name" required maxlength="100" placeholder="Entra ID" autocomplete="off"></label><button>${say('setup.scim.issue')}</button>`)}`)}
${await groupsCard(visit)}`,
  });
}

/** The address of the SCIM service: at the project's own API domain, if there is one. */
async function scimAddress({ ctx: { system, scope } }: Visit): Promise<string> {
  const { api } = await addressesOf(system, scope);
  return `${api[0] ?? system.config.addresses[scope.environment].api}${SCIM_PATH}`;
}

async function tokenPage(visit: Visit, id: string | undefined): Promise<Reply> {
  const { ctx, link, voice } = visit;
  const { say } = voice;
  const token = await getScimToken(ctx, link.organization_id, idOf('sct', id));
  return show(visit, {
    section: 'directory',
    title: token.name,
    body: cardWithBack(
      visit,
      '/directory',
      html`<p class="lead">${say('setup.scim.removeIntro')}</p>${form(visit, `/directory/${token.id}`, html`<button class="danger">${say('setup.remove')}</button>`)}`,
    ),
  });
}
