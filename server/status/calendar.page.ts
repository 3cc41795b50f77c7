import { Type } from 'typebox';
import { problem } from '#platform/problem.ts';
import { get, type Routes } from '#platform/route.ts';
import { factsOfMonth, hasCalendar, monthOf } from './calendar.ts';
import { calendarPage } from './calendar-body.ts';
import { pageHeaders } from './page-frame.ts';
import { PageQueryOfStatus, voiceOf } from './status.page.ts';
import { momentOf } from './summary.public.ts';
import { cachingOf } from './views.ts';

const CalendarQuery = Type.Interface([PageQueryOfStatus], {
  month: Type.Optional(Type.String({ pattern: '^\\d{4}-(0[1-9]|1[0-2])$' })),
  component: Type.Optional(Type.String({ maxLength: 40 })),
});

/** The history by month. */
export const statusCalendarRoutes: Routes = [
  get('/status/calendar', {
    permission: 'public',
    query: CalendarQuery,
    handler: async (request, reply) => {
      const { system } = request.server;
      const { view } = await momentOf(request);
      const now = system.clock.now();
      const current = monthOf(now.toISOString());
      const { month = current, component = '' } = request.query;
      if (!hasCalendar(month, current)) throw problem('NOT_FOUND');
      if (component !== '' && !view.components.some(({ id }) => id === component)) throw problem('NOT_FOUND');
      const facts = await factsOfMonth(system, view, month);
      const chosen = { month, componentId: component || null, facts, now };
      return reply
        .headers({ ...pageHeaders(view), ...cachingOf(view.page), vary: 'accept-language' })
        .type('text/html; charset=utf-8')
        .send(calendarPage(view, voiceOf(request, view), chosen));
    },
  }),
];
