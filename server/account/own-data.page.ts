import { html } from 'hono/html';
import { Type } from 'typebox';
import { form } from '#pages';
import type { Reply } from '#platform/http.ts';
import type { Routes } from '#platform/route.ts';
import { ownData, requestErasure } from '#self';
import { action, page } from './forms.ts';
import { card, formCard, show } from './show.ts';
import { BASE, sayGoodbye, type Visit } from './visit.ts';

const freshProof = 'second factor';

/** Exporting one's own data, and requesting erasure. */
export const ownDataRoutes: Routes = [
  page('/data', dataPage),
  page(
    '/data/export',
    async ({ ctx, reply }) =>
      reply
        .headers({ 'content-disposition': 'attachment; filename="my-data.json"', 'cache-control': 'no-store' })
        .type('application/json; charset=utf-8')
        .serializer(String)
        .send(JSON.stringify(await ownData(ctx), null, 2)),
    { freshProof },
  ),
  page('/data/erase', erasePage, { freshProof }),
  action('/data/erase', {
    freshProof,
    back: '/data',
    fields: Type.Object({}),
    act: async (visit) => {
      await requestErasure(visit.ctx);
      return sayGoodbye(visit, 'erasing');
    },
  }),
];

export function dataPage(visit: Visit): Reply {
  const { say } = visit.voice;
  return show(visit, {
    section: '/data',
    title: say('account.data'),
    body: html`${card(
      say('account.export'),
      html`<p class="lead">${say('account.exportIntro')}</p><div class="actions"><a class="button second" href="${BASE}/data/export">${say('account.export')}</a></div>`,
    )}${card(
      say('account.erase'),
      html`<p class="lead">${say('account.eraseIntro')}</p><div class="actions"><a class="button second" href="${BASE}/data/erase">${say('account.erase')}</a></div>`,
    )}`,
  });
}

function erasePage(visit: Visit): Reply {
  const { say } = visit.voice;
  return show(visit, {
    section: '/data',
    title: say('account.erase'),
    body: formCard(
      visit,
      '/data',
      html`<p>${say('account.eraseAsk')}</p>${form(visit, '/data/erase', html`<button class="danger">${say('account.erase')}</button>`)}`,
    ),
  });
}
