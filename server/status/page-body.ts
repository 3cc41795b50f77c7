import { raw } from 'hono/html';
import { type Html, html } from '#platform/html.ts';
import { pathOn, queryOn } from './addresses.ts';
import { PROBLEMS } from './calendar.ts';
import { linksToChannels } from './channel-links.ts';
import type { ComponentStatus } from './health.ts';
import { incidentTitle, isOpen, type StoredIncident } from './incident-records.ts';
import type { StoredMaintenance } from './maintenance-records.ts';
import { framed, homeOf, icon, moment } from './page-frame.ts';
import { DAYS } from './stored.ts';
import type { Day } from './uptime.ts';
import { caveats, headline, namesOf, type ShownComponent, type ShownGroup, timeOf, type View } from './view.ts';
import type { Voice } from './words.ts';

const DAY_MS = 86_400_000;
const RECENT_MS = 14 * DAY_MS;
const BY_SEVERITY = { minor: 'degraded_performance', major: 'partial_outage', critical: 'major_outage' } as const;

const FEEDS = [
  { name: 'history.rss', type: 'application/rss+xml', label: 'RSS' },
  { name: 'history.atom', type: 'application/atom+xml', label: 'Atom' },
  { name: 'history.json', type: 'application/feed+json', label: 'JSON Feed' },
] as const;

type Drawing = { view: View; voice: Voice; nameOf: (id: string) => string };

function drawingOf(view: View, voice: Voice): Drawing {
  return { view, voice, nameOf: namesOf(view, voice) };
}

/** The status page. */
export function statusPage(view: View, voice: Voice): string {
  const drawing = drawingOf(view, voice);
  const { say } = voice;
  const open = view.incidents.filter(isOpen);
  const planned = view.maintenances.filter(({ phase }) => phase !== 'completed').toReversed();
  const now = newestMoment(view);
  const recent = [
    ...view.incidents.filter(({ phase }) => phase === 'resolved'),
    ...view.maintenances.filter(({ phase }) => phase === 'completed'),
  ]
    .filter((one) => now - Date.parse(endOf(one)) < RECENT_MS)
    .sort((one, other) => endOf(other).localeCompare(endOf(one)));
  const query = queryOn(view.page, { lang: voice.language });
  return framed({
    voice,
    view,
    title: `${headline(view, voice)} · ${say('title', { name: view.name })}`,
    self: pathOn(view.page, '/status'),
    feeds: feedsOf(view),
    body: html`${banner(drawing)}
${open.length > 0 ? html`<h2>${say('incidents.current')}</h2>${open.map((incident) => eventCard(drawing, incident, { most: 3, below: 'h2' }))}` : ''}
${planned.length > 0 ? html`<h2>${say('maintenance.title')}</h2>${planned.map((maintenance) => eventCard(drawing, maintenance, { most: 2, below: 'h2' }))}` : ''}
${view.components.length > 0 ? html`<h2>${say('systems.title')}</h2>${view.groups.map((group) => groupCard(drawing, group))}<p class="small soft caption">${say('uptime.formula')}</p>` : ''}
<h2>${say('incidents.past')}</h2>
${recent.length > 0 ? recent.map((one) => eventCard(drawing, one, { most: 1, below: 'h2' })) : html`<div class="card"><p class="day soft">${say('incidents.none')}</p></div>`}
<p class="small caption"><a href="${pathOn(view.page, '/status/incidents')}${query}">${say('incidents.all')}</a> · <a href="${pathOn(view.page, '/status/calendar')}${query}">${say('calendar.title')}</a></p>
<h2 id="subscribe">${say('subscribe.title')}</h2>
${subscribeForm(drawing, query)}`,
  });
}

/** The feeds of a public page. Programs that read feeds do not sign in. */
function feedsOf({ page }: View): { href: string; type: string; label: string }[] {
  if (page.audience === 'members') return [];
  return FEEDS.map(({ name, type, label }) => ({
    href: `${pathOn(page, `/api/status/${name}`)}${queryOn(page)}`,
    type,
    label,
  }));
}

/** Days are counted from the newest data, so the page is the same whenever it is rendered. */
function newestMoment({ generatedAt, components }: View): number {
  const known = components.map(({ since }) => Date.parse(since));
  return Math.max(Date.parse(generatedAt), ...known);
}

function endOf(one: StoredIncident | StoredMaintenance): string {
  return ('resolvedAt' in one ? one.resolvedAt : one.completedAt) ?? one.updatedAt;
}

/** The state in whose colour the overall status is shown. */
export function stateOfView({ severity, components }: View) {
  if (severity !== 'none') return BY_SEVERITY[severity];
  return components.some(({ status }) => status === 'under_maintenance') ? 'under_maintenance' : 'operational';
}

function banner({ view, voice }: Drawing): Html {
  const state = stateOfView(view);
  return html`<section class="banner ${state}" aria-live="polite">${icon(state)}<div><h1>${headline(view, voice)}</h1><p class="small soft">${voice.say('page.updated', { time: timeOf(view.generatedAt) })}</p></div></section>
${caveats(view, voice).map((caveat) => html`<p class="caveat" role="alert">${caveat}</p>`)}`;
}

function groupCard(drawing: Drawing, { id, name, status, components }: ShownGroup): Html {
  return html`<section class="card" aria-labelledby="g-${id}"><div class="head"><h3 id="g-${id}">${name ?? drawing.voice.nameOf(id)}</h3>${stateOf(drawing.voice, status)}</div>
${components.map((component) => componentRow(drawing, component))}</section>`;
}

function stateOf({ say }: Voice, status: ComponentStatus): Html {
  return html`<span class="state ${status}">${icon(status)}${say(status)}</span>`;
}

function componentRow({ view, voice, nameOf }: Drawing, component: ShownComponent): Html {
  const { say } = voice;
  const name = nameOf(component.id);
  const about = component.description ?? voice.aboutOf(component.id);
  const share =
    component.uptime === null ? say('uptime.none') : say('uptime.share', { percent: percent(component.uptime, voice) });
  return html`<div class="row"><div class="top"><strong>${name}</strong>${stateOf(voice, component.status)}</div>${about ? html`<p class="about">${about}</p>` : ''}
${bars(component.days, newestMoment(view), voice, say('uptime.bar', { name, share }))}
<div class="legend"><span>${say('uptime.from', { days: DAYS })}</span><span>${share}</span><span>${say('uptime.today')}</span></div></div>`;
}

export function percent(value: number, { language }: Voice): string {
  // Rounded down: 100 means that there was no downtime.
  return new Intl.NumberFormat(language, { maximumFractionDigits: 2 }).format(Math.floor(value * 100) / 100);
}

const STEP = 4;
const WIDTH = 3;
const HEIGHT = 32;

/**
 * One bar per day, oldest first. The worst status of the day decides its colour; the tooltip of a bad day states the
 * duration.
 */
function bars(days: readonly Day[], now: number, { say }: Voice, label: string): Html {
  const known = new Map(days.map((day) => [day.day, day]));
  const paths = { operational: '', none: '' };
  const bad: string[] = [];
  for (let index = 0; index < DAYS; index += 1) {
    const name = new Date(now - (DAYS - 1 - index) * DAY_MS).toISOString().slice(0, 10);
    const day = known.get(name);
    const shape = `M${index * STEP} 0h${WIDTH}v${HEIGHT}h-${WIDTH}z`;
    const found = day && PROBLEMS.find(([kind]) => day[kind] > 0);
    if (!day) paths.none += shape;
    else if (!found) paths.operational += shape;
    else {
      const [kind, status] = found;
      const title = `${say('uptime.worst', { day: name, status: say(status) })} (${say('uptime.for', { minutes: day[kind] })})`;
      bad.push(String(html`<path class="bar ${status}" d="${shape}"><title>${title}</title></path>`));
    }
  }
  const whole = (['operational', 'none'] as const).map((kind) =>
    paths[kind] === '' ? '' : `<path class="bar ${kind}" d="${paths[kind]}"/>`,
  );
  return html`<svg class="bars" viewBox="0 0 ${DAYS * STEP - 1} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${label}">${raw([...whole, ...bad].join(''))}</svg>`;
}

/** An incident or a maintenance with its newest updates. */
function eventCard(
  drawing: Drawing,
  one: StoredIncident | StoredMaintenance,
  { most, below }: { most: number; below: 'h1' | 'h2' },
): Html {
  const { view, voice, nameOf } = drawing;
  const { say } = voice;
  const title = 'severity' in one ? incidentTitle(one, voice, nameOf) : one.title;
  const state =
    'severity' in one ? (one.phase === 'resolved' ? 'operational' : BY_SEVERITY[one.severity]) : 'under_maintenance';
  const query = queryOn(view.page, { lang: voice.language });
  return html`<article class="card event ${state}"><div class="row">
${heading(below, html`<a href="${pathOn(view.page, `/status/incidents/${one.id}`)}${query}">${title}</a>`)}
<div class="meta"><strong>${say(one.phase)}</strong>${'severity' in one ? html`<span>${say(`severity.${one.severity}`)}</span>${lasted(one, voice)}` : html`<span>${raw(say('maintenance.window', { begins: String(moment(one.beginsAt)), ends: String(moment(one.endsAt)) }))}</span>`}${one.componentIds.length > 0 ? html`<span>${say('incidents.affected')}: ${one.componentIds.map(nameOf).join(', ')}</span>` : ''}</div>
<ol class="updates">${one.updates.slice(0, most).map(({ phase, body, at }) => html`<li><p class="small"><strong>${say(phase)}</strong> <span class="soft">· ${moment(at)}</span></p><p class="text">${body || say(`own.${phase}`)}</p></li>`)}</ol>
</div>${'postmortem' in one && one.postmortem !== null && most > 3 ? html`<div class="post">${heading(below, html`${say('incidents.postmortem')}`)}<p class="text">${one.postmortem}</p></div>` : ''}</article>`;
}

/** A heading one level below the given one. */
function heading(below: 'h1' | 'h2', text: Html): Html {
  return below === 'h1' ? html`<h2>${text}</h2>` : html`<h3>${text}</h3>`;
}

function lasted({ startedAt, resolvedAt }: StoredIncident, { say, language }: Voice): Html | string {
  if (resolvedAt === null) return '';
  const total = Math.max(1, Math.round((Date.parse(resolvedAt) - Date.parse(startedAt)) / 60_000));
  const unit = (value: number, name: 'day' | 'hour' | 'minute') =>
    value === 0
      ? []
      : [new Intl.NumberFormat(language, { style: 'unit', unit: name, unitDisplay: 'short' }).format(value)];
  const parts = [
    ...unit(Math.floor(total / 1440), 'day'),
    ...unit(Math.floor((total % 1440) / 60), 'hour'),
    ...unit(total % 60, 'minute'),
  ];
  return html`<span>${say('incidents.lasted', { duration: parts.slice(0, 2).join(' ') })}</span>`;
}

/** The choice of components for a subscription: none chosen means all. */
export function componentChoices({ view, nameOf }: Pick<Drawing, 'view' | 'nameOf'>, chosen: readonly string[]): Html {
  return html`<div class="choices">${view.components.map(({ id }) => html`<label class="check"><input type="checkbox" name="componentIds" value="${id}"${chosen.includes(id) ? raw(' checked') : ''}>${nameOf(id)}</label>`)}</div>`;
}

/** The choice, folded until one is chosen; nothing on a page without components. */
export function someComponents(drawing: Pick<Drawing, 'view' | 'voice' | 'nameOf'>, chosen: readonly string[]): Html {
  const { say } = drawing.voice;
  if (drawing.view.components.length === 0) return html``;
  return html`<details${chosen.length > 0 ? raw(' open') : ''}><summary>${say('subscribe.components')}</summary><fieldset><p class="small soft">${say('subscribe.all')}</p>${componentChoices(drawing, chosen)}</fieldset></details>`;
}

function subscribeForm(drawing: Drawing, query: string): Html {
  const { say } = drawing.voice;
  const { page } = drawing.view;
  return html`<section class="card"><div class="row"><form method="post" action="${pathOn(page, '/status/subscribe')}${query}"><p class="soft">${say('subscribe.intro')}</p>
<div class="inline"><label>${say('subscribe.email')}<input type="email" name="email" required autocomplete="email" maxlength="254"></label><button>${say('subscribe.button')}</button></div>
<div class="trap" aria-hidden="true"><label>Website<input name="website" tabindex="-1" autocomplete="off"></label></div>
${someComponents(drawing, [])}
<p class="small"><a href="${pathOn(page, '/status/manage')}${query}">${say('manage.link')}</a></p></form></div>
<div class="row"><p class="small soft">${say('subscribe.ways')}</p>${linksToChannels(drawing.voice, { view: drawing.view, current: 'email' })}</div></section>`;
}

/** The page of all stored incidents. */
export function historyPage(view: View, voice: Voice): string {
  const drawing = drawingOf(view, voice);
  const { say } = voice;
  const all = [...view.incidents];
  return framed({
    voice,
    view,
    title: `${say('incidents.all')} · ${say('title', { name: view.name })}`,
    self: pathOn(view.page, '/status/incidents'),
    feeds: feedsOf(view),
    body: html`<h1 class="title">${say('incidents.all')}</h1>${all.length > 0 ? all.map((incident) => eventCard(drawing, incident, { most: 1, below: 'h1' })) : html`<div class="card"><p class="day soft">${say('incidents.noneEver')}</p></div>`}
${backLink(drawing)}`,
  });
}

function backLink({ view, voice }: Drawing): Html {
  return html`<p class="small caption"><a href="${homeOf(view, voice)}">${voice.say('page.back')}</a></p>`;
}

/** The page of one incident or maintenance with all updates; null when the id is unknown. */
export function eventPage(view: View, voice: Voice, id: string): string | null {
  const one =
    view.incidents.find((incident) => incident.id === id) ??
    view.maintenances.find((maintenance) => maintenance.id === id);
  if (!one) return null;
  const drawing = drawingOf(view, voice);
  const title = 'severity' in one ? incidentTitle(one, voice, drawing.nameOf) : one.title;
  return framed({
    voice,
    view,
    title: `${title} · ${voice.say('title', { name: view.name })}`,
    self: pathOn(view.page, `/status/incidents/${id}`),
    feeds: feedsOf(view),
    body: html`<h1 class="visually-hidden">${title}</h1>${eventCard(drawing, one, { most: Number.POSITIVE_INFINITY, below: 'h1' })}${backLink(drawing)}`,
  });
}
