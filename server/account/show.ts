import { html } from 'hono/html';
import { type Frame, form, type Markup, type Page, type TextId } from '#pages';
import type { Reply } from '#platform/http.ts';
import { BASE, faultOf, send, type Visit } from './visit.ts';

/** The pages of the account, in the order of their links. */
const SECTIONS: readonly { path: string; text: TextId }[] = [
  { path: '', text: 'account.profile' },
  { path: '/security', text: 'account.security' },
  { path: '/sessions', text: 'account.sessions' },
  { path: '/memberships', text: 'account.memberships' },
  { path: '/data', text: 'account.data' },
];
type Section = '' | '/security' | '/sessions' | '/memberships' | '/data';

type Shown = Pick<Page, 'title' | 'body' | 'leaves' | 'script'> & { section: Section };

/** Renders a page of the account, with the error or confirmation of the previous request. */
export function show(visit: Visit, { section, body, ...page }: Shown): Reply {
  return send(visit, { ...page, body: html`${newsOf(visit)}${body}`, frame: frameOf(visit, section) });
}

function frameOf(visit: Visit, section: Section): Frame {
  const { profile } = visit;
  const { say } = visit.voice;
  const name = profile.displayName ?? profile.email ?? profile.username ?? profile.phone ?? '';
  return {
    label: say('account.title'),
    links: SECTIONS.map(({ path, text }) => ({ href: BASE + path, text: say(text), current: path === section })),
    end: html`<div class="who"><bdi>${name}</bdi>${form(visit, '/sign-out', html`<button class="second">${say('logout.title')}</button>`)}</div>`,
  };
}

function newsOf(visit: Visit): Markup {
  const { step, voice } = visit;
  const notice =
    step.notice && !step.fault ? html`<p class="done" role="status">${voice.say('account.saved')}</p>` : '';
  return html`${faultOf(visit)}${notice}`;
}

/** A section of a page, with its own heading. */
export function card(title: string, content: Markup): Markup {
  return html`<section class="card"><h2>${title}</h2>${content}</section>`;
}

/** A page with one form and a link back. */
export function formCard(visit: Visit, back: string, content: Markup): Markup {
  return html`<section class="card">${content}<p class="actions"><a href="${BASE}${back}">${visit.voice.say('action.back')}</a></p></section>`;
}

type Way = { href: string; text: string };

/** One row of a list: title, details and actions. Each link's accessible name includes the title. */
export function row({
  title,
  tag,
  detail,
  ways,
}: {
  title: string;
  tag?: Markup | '';
  detail: string | Markup;
  ways: Way[];
}) {
  const links = ways.map(
    ({ href, text }) => html`<a href="${BASE}${href}">${text}<span class="visually-hidden"> ${title}</span></a>`,
  );
  return html`<li><div><span>${title}${tag ?? ''}</span><small>${detail}</small></div><div class="ways">${links}</div></li>`;
}

/**
 * A date and time in the user's language and time zone; in UTC, and saying so, if the time zone is not known.
 * @param instant ISO 8601
 */
export function dateOf({ voice: { language }, profile: { zoneinfo } }: Visit, instant: string): string {
  const options: Intl.DateTimeFormatOptions = { dateStyle: 'medium', timeStyle: 'short' };
  const date = new Date(instant);
  try {
    if (zoneinfo !== null) return new Intl.DateTimeFormat(language, { ...options, timeZone: zoneinfo }).format(date);
  } catch {
    // The profile's time zone is invalid.
  }
  return `${new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' }).format(date)} UTC`;
}

/** The name of a country in the user's language; null where it is not known. */
export function countryName({ voice: { language } }: Visit, code: string | null): string | null {
  if (code === null) return null;
  return new Intl.DisplayNames(language, { type: 'region' }).of(code) ?? code;
}
