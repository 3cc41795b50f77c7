import { html } from 'hono/html';
import type { Frame, Markup, Page, TextId } from '#pages';
import type { Reply } from '#platform/http.ts';
import type { Task } from './tasks.ts';
import { BASE, faultOf, form, send, type Visit } from './visit.ts';

/** The page of each task. */
export const PAGES: Readonly<Record<Task, { path: string; text: TextId }>> = {
  domains: { path: '/domains', text: 'setup.domains' },
  connection: { path: '/connection', text: 'setup.connection' },
  directory: { path: '/directory', text: 'setup.directory' },
  policies: { path: '/policies', text: 'setup.policies' },
  team: { path: '/team', text: 'setup.team' },
};

type Shown = Pick<Page, 'title' | 'body' | 'leaves'> & { section: Task | 'overview' | 'finish' };

/** Renders a page with the links of the others, and the fault or notice of the previous request. */
export function show(visit: Visit, { section, body, ...page }: Shown): Reply {
  return send(visit, { ...page, body: html`${newsOf(visit)}${body}`, frame: frameOf(visit, section) });
}

function frameOf(visit: Visit, section: Shown['section']): Frame {
  const { tasks, organization } = visit;
  const { say } = visit.voice;
  const link = (path: string, text: TextId, current: boolean) => ({ href: BASE + path, text: say(text), current });
  return {
    label: say('setup.title'),
    links: [
      link('', 'setup.overview', section === 'overview'),
      ...tasks.map((task) => link(PAGES[task].path, PAGES[task].text, task === section)),
      link('/finish', 'setup.finish', section === 'finish'),
    ],
    end: html`<div class="who"><span>${organization.name}</span>${form(visit, '/leave', html`<button class="second">${say('setup.leave')}</button>`)}</div>`,
  };
}

function newsOf(visit: Visit): Markup {
  const { step, voice } = visit;
  const detail = step.fault && step.detail ? html`<p class="hint" lang="en">${step.detail}</p>` : '';
  const notice =
    step.notice && !step.fault
      ? html`<p class="done" role="status">${voice.say(`setup.notice.${step.notice}`)}</p>`
      : '';
  return html`${faultOf(visit)}${detail}${notice}`;
}

export function card(title: string, content: Markup): Markup {
  return html`<section class="card"><h2>${title}</h2>${content}</section>`;
}

/** A card with a link back. */
export function cardWithBack(visit: Visit, back: string, content: Markup): Markup {
  return html`<section class="card">${content}<p class="actions"><a href="${BASE}${back}">${visit.voice.say('action.back')}</a></p></section>`;
}

type Row = { title: string; detail: string; tag?: { text: string; good: boolean } | null; href: string; way: string };

/** One row of a list. The link's accessible name includes the title. */
export function row({ title, detail, tag, href, way }: Row): Markup {
  const mark = tag ? html`<span class="tag${tag.good ? ' good' : ''}">${tag.text}</span>` : '';
  return html`<li><div><span>${title}${mark}</span><small>${detail}</small></div><div class="ways"><a href="${BASE}${href}">${way}<span class="visually-hidden"> ${title}</span></a></div></li>`;
}

export function rows(items: readonly Markup[]): Markup {
  return html`<ul class="rows">${items}</ul>`;
}

/** Values to copy into another program: a click selects the whole value. */
export function values(pairs: readonly { label: string; value: string }[]): Markup {
  return html`<dl class="values">${pairs.map(({ label, value }) => html`<dt>${label}</dt><dd><code class="value" tabindex="0">${value}</code></dd>`)}</dl>`;
}

/** One of several buttons of a form. */
export function button(does: string, text: string, kind: '' | 'second' | 'danger' = ''): Markup {
  return html`<button name="do" value="${does}"${kind === '' ? '' : html` class="${kind}"`}>${text}</button>`;
}

export function hidden(name: string, value: string): Markup {
  return html`<input type="hidden" name="${name}" value="${value}">`;
}

/** @param instant ISO 8601 */
export function dateOf({ voice: { language } }: Pick<Visit, 'voice'>, instant: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' }).format(
    new Date(instant),
  );
}
