import { Type } from 'typebox';
import { html } from '#platform/html.ts';
import { problem } from '#platform/problem.ts';
import { get, type Routes } from '#platform/route.ts';
import { pageAddressOf } from './addresses.ts';
import { guarded, panel } from './panel.ts';
import { SHORT_LINK } from './short-links.ts';
import { PageQueryOfStatus } from './status.page.ts';
import { findByLink } from './subscriptions.ts';
import { makeToken } from './tokens.ts';

/** Where links in text messages lead: to the page that confirms the subscription, or to what a person may do with it. */
export const statusShortLinkRoutes: Routes = [
  get('/s/:end', {
    permission: 'public',
    params: Type.Object({ end: Type.String({ pattern: SHORT_LINK }) }),
    query: PageQueryOfStatus,
    handler: (request, reply) =>
      guarded(request, reply, async ({ voice }) => {
        const { system } = request.server;
        const { page, row, expired } = await findByLink(system, request.params.end);
        if (expired) throw problem('INVALID_TOKEN');
        const confirms = row.state === 'pending';
        const purpose = confirms ? 'confirm' : 'unsubscribe';
        const address = `/status/${purpose}?token=${encodeURIComponent(makeToken(system, purpose, row))}&lang=${voice.language}`;
        if (confirms) return reply.redirect(address, 303);
        return panel(
          { request, reply, page },
          {
            title: voice.say('manage.title'),
            body: html`<p><a href="${pageAddressOf(system, page)}">${voice.say('chat.details')}</a></p><p><a href="${address}">${voice.say('unsubscribe.title')}</a></p>`,
          },
        );
      }),
  }),
];
