import { raw } from 'hono/html';
import { type Html, html } from '#platform/html.ts';
import { pathOn, queryOn } from './addresses.ts';
import {
  type CalendarDay,
  type CalendarEvent,
  daysOfMonth,
  type factsOfMonth,
  firstDay,
  hasCalendar,
  monthOf,
} from './calendar.ts';
import { incidentTitle } from './incident-records.ts';
import { percent } from './page-body.ts';
import { framed, homeOf, moment } from './page-frame.ts';
import { uptimeOf } from './uptime.ts';
import { caveats, namesOf, type View } from './view.ts';
import type { Voice } from './words.ts';

const BY_SEVERITY = {
  none: 'under_maintenance',
  minor: 'degraded_performance',
  major: 'partial_outage',
  critical: 'major_outage',
} as const;
const UTC = { timeZone: 'UTC', numberingSystem: 'latn' } as const;

type Chosen = { month: string; componentId: string | null };
type Drawing = Chosen & {
  view: View;
  voice: Voice;
  nameOf: (id: string) => string;
  today: string;
  /** The ids of events that have a page. */
  linked: ReadonlySet<string>;
};

/** The page of a month: a day is coloured by the worst that was measured, and lists what happened on it. */
export function calendarPage(
  view: View,
  voice: Voice,
  { month, componentId, facts, now }: Chosen & { facts: Awaited<ReturnType<typeof factsOfMonth>>; now: Date },
): string {
  const today = now.toISOString().slice(0, 10);
  const linked = new Set([...view.incidents, ...view.maintenances].map(({ id }) => id));
  const drawing: Drawing = { view, voice, month, componentId, nameOf: namesOf(view, voice), today, linked };
  const { say } = voice;
  const componentIds = componentId === null ? view.components.map(({ id }) => id) : [componentId];
  const days = daysOfMonth(facts, month, {
    componentIds,
    everything: componentId === null,
    now: now.toISOString(),
  });
  const measured = componentIds.flatMap((id) => (facts.days.get(id) ?? []).filter(({ day }) => day.startsWith(month)));
  const uptime = uptimeOf(measured);
  const eventful = days.filter(({ events }) => events.length > 0).toReversed();
  return framed({
    voice,
    view,
    title: `${say('calendar.title')}: ${nameOfMonth(month, voice)} · ${say('title', { name: view.name })}`,
    self: pathOn(view.page, '/status/calendar'),
    body: html`<h1 class="title">${say('calendar.title')}</h1>
${caveats(view, voice).map((caveat) => html`<p class="caveat" role="alert">${caveat}</p>`)}
${systemForm(drawing)}
<section class="card"><div class="row">${steps(drawing)}${grid(drawing, days)}
<p class="small soft">${uptime === null ? say('uptime.none') : say('calendar.uptime', { percent: percent(uptime, voice) })}</p>${legend(voice)}</div></section>
${eventful.length > 0 ? eventful.map((day) => dayOf(drawing, day)) : html`<p class="small soft caption">${say('calendar.none')}</p>`}
<p class="small caption"><a href="${homeOf(view, voice)}">${say('page.back')}</a></p>`,
  });
}

function nameOfMonth(month: string, { language }: Voice): string {
  const format = new Intl.DateTimeFormat(language, { ...UTC, month: 'long', year: 'numeric' });
  return format.format(new Date(firstDay(month)));
}

function addressOf({ view, voice, componentId }: Drawing, month: string): string {
  const chosen = { lang: voice.language, month, ...(componentId !== null && { component: componentId }) };
  return `${pathOn(view.page, '/status/calendar')}${queryOn(view.page, chosen)}`;
}

function systemForm({ view, voice, month, componentId, nameOf }: Drawing): Html {
  const { say, language } = voice;
  return html`<form class="inline filter" method="get" action="${pathOn(view.page, '/status/calendar')}">${queryOn(view.page) !== '' ? html`<input type="hidden" name="environment" value="test">` : ''}<input type="hidden" name="lang" value="${language}"><input type="hidden" name="month" value="${month}"><label>${say('calendar.system')}<select name="component"><option value="">${say('calendar.all')}</option>${view.components.map(({ id }) => html`<option value="${id}"${id === componentId ? raw(' selected') : ''}>${nameOf(id)}</option>`)}</select></label><button>${say('calendar.show')}</button></form>`;
}

/** The month, with links to the one before and the one after. */
function steps(drawing: Drawing): Html {
  const { voice, month, today } = drawing;
  const link = (later: number, rel: string, label: string, arrow: string) => {
    const other = monthOf(firstDay(month, later));
    return hasCalendar(other, monthOf(today))
      ? html`<a class="button plain" rel="${rel}" href="${addressOf(drawing, other)}"><span class="visually-hidden">${label}</span><span class="arrow" aria-hidden="true">${arrow}</span></a>`
      : html`<span class="button plain" aria-hidden="true"></span>`;
  };
  return html`<div class="steps">${link(-1, 'prev', voice.say('calendar.previous'), '‹')}<h2 id="month">${nameOfMonth(month, voice)}</h2>${link(1, 'next', voice.say('calendar.next'), '›')}</div>`;
}

/** The first day of the week, from 1 (Monday) to 7. */
function weekBegins({ language }: Voice): number {
  return new Intl.Locale(language).getWeekInfo().firstDay;
}

function grid(drawing: Drawing, days: readonly CalendarDay[]): Html {
  const { voice, month } = drawing;
  const begins = weekBegins(voice);
  // 2024-01-01 was a Monday.
  const weekdays = Array.from({ length: 7 }, (_, index) => new Date(Date.UTC(2024, 0, begins + index)));
  const name = (date: Date, weekday: 'long' | 'short') =>
    new Intl.DateTimeFormat(voice.language, { ...UTC, weekday }).format(date);
  const before = (new Date(firstDay(month)).getUTCDay() + 7 - (begins % 7)) % 7;
  const cells = [...Array.from({ length: before }, () => null), ...days];
  const weeks = Array.from({ length: Math.ceil(cells.length / 7) }, (_, week) =>
    Array.from({ length: 7 }, (_none, day) => cells[week * 7 + day] ?? null),
  );
  return html`<table class="month" aria-labelledby="month"><thead><tr>${weekdays.map((date) => html`<th scope="col" abbr="${name(date, 'long')}">${name(date, 'short')}</th>`)}</tr></thead>
<tbody>${weeks.map((week) => html`<tr>${week.map((day) => (day === null ? html`<td></td>` : cell(drawing, day)))}</tr>`)}</tbody></table>`;
}

function cell({ voice, today }: Drawing, { day, state, minutes, events }: CalendarDay): Html {
  const { say } = voice;
  const number = Number(day.slice(8));
  const ahead = day > today;
  const measured = ahead ? '' : say(state ?? 'unmeasured');
  const lasted = minutes > 0 ? `, ${say('uptime.for', { minutes })}` : '';
  const about = html`${number}<span class="visually-hidden"> ${measured}${lasted}</span>`;
  return html`<td class="${ahead ? 'ahead' : (state ?? 'none')}" data-day="${day}"${day === today ? raw(' aria-current="date"') : ''} title="${measured}${lasted}">${events.length > 0 ? html`<a href="#d-${day}">${about}<span class="dots" aria-hidden="true">${events.slice(0, 3).map(({ severity }) => html`<i class="${BY_SEVERITY[severity]}"></i>`)}</span></a>` : html`<span>${about}</span>`}</td>`;
}

function legend({ say }: Voice): Html {
  const states = [
    'operational',
    'degraded_performance',
    'partial_outage',
    'major_outage',
    'under_maintenance',
  ] as const;
  return html`<ul class="key small soft">${states.map((state) => html`<li class="${state}">${say(state)}</li>`)}<li class="none">${say('unmeasured')}</li></ul>`;
}

/** What happened on a day. */
function dayOf(drawing: Drawing, { day, state, minutes, events }: CalendarDay): Html {
  const { voice, today } = drawing;
  const { say, language } = voice;
  const name = new Intl.DateTimeFormat(language, { ...UTC, dateStyle: 'full' }).format(new Date(day));
  const measured =
    day > today ? '' : `${say(state ?? 'unmeasured')}${minutes > 0 ? ` (${say('uptime.for', { minutes })})` : ''}`;
  return html`<section class="card" id="d-${day}" aria-labelledby="n-${day}"><div class="head"><h3 id="n-${day}">${name}</h3><span class="small soft">${measured}</span></div>${events.map((event) => eventOf(drawing, event))}</section>`;
}

function eventOf({ view, voice, nameOf, linked }: Drawing, event: CalendarEvent): Html {
  const { say } = voice;
  const title = incidentTitle(event, voice, nameOf);
  const query = queryOn(view.page, { lang: voice.language });
  const name = linked.has(event.id)
    ? html`<a href="${pathOn(view.page, `/status/incidents/${event.id}`)}${query}">${title}</a>`
    : html`${title}`;
  const kind = event.severity === 'none' ? say('under_maintenance') : say(`severity.${event.severity}`);
  const time =
    event.ends === null
      ? moment(event.begins)
      : raw(say('maintenance.window', { begins: String(moment(event.begins)), ends: String(moment(event.ends)) }));
  return html`<div class="row event ${BY_SEVERITY[event.severity]}"><strong>${name}</strong><div class="meta"><span>${kind}</span><span>${time}</span>${event.componentIds.length > 0 ? html`<span>${event.componentIds.map(nameOf).join(', ')}</span>` : ''}</div></div>`;
}
