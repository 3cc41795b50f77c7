import { html } from 'hono/html';
import { type Frame, type Markup, type Page, renderPage, type TextId } from '#pages';
import type { Reply } from '#platform/http.ts';
import { BASE, said, type Visit } from './visit.ts';

/** The pages of the account, in the order of their links. */
const SECTIONS: readonly { path: string; text: TextId }[] = [
  { path: '', text: 'account.profile' },
  { path: '/security', text: 'account.security' },
  { path: '/sessions', text: 'account.sessions' },
  { path: '/memberships', text: 'account.memberships' },
  { path: '/data', text: 'account.data' },
];
type Section = '' | '/security' | '/sessions' | '/memberships' | '/data';

const FAULTS: Readonly<Record<string, TextId>> = {
  ACCOUNT_THROTTLED: 'fault.later',
  ALREADY_EXISTS: 'fault.taken',
  CONFLICT: 'fault.invalid',
  INVALID_CODE: 'fault.code',
  INVALID_CREDENTIALS: 'fault.currentPassword',
  INVALID_TOKEN: 'fault.upstream',
  LAST_OWNER: 'fault.lastOwner',
  LAST_SIGN_IN_METHOD: 'fault.lastWayIn',
  MEMBER_BLOCKED: 'fault.blocked',
  METHOD_DISABLED: 'fault.method',
  NOT_FOUND: 'fault.gone',
  RATE_LIMIT_EXCEEDED: 'fault.later',
  SERVICE_UNAVAILABLE: 'fault.unavailable',
  WEAK_PASSWORD: 'fault.weak',
};

type Shown = Pick<Page, 'title' | 'body' | 'leaves' | 'script'> & { section: Section };

/** Shows a page of the account; a fault or good news is said once. */
export function show(visit: Visit, { section, body, ...page }: Shown): Reply {
  const { step, voice, reply } = visit;
  said(visit);
  const { document, headers } = renderPage(voice, {
    ...page,
    body: html`${newsOf(visit)}${body}`,
    frame: frameOf(visit, section),
  });
  return reply
    .code(step.fault ? 400 : 200)
    .headers(headers)
    .serializer(String)
    .send(document);
}

function frameOf({ voice: { say }, profile }: Visit, section: Section): Frame {
  const name = profile.displayName ?? profile.email ?? profile.username ?? profile.phone ?? '';
  return {
    label: say('account.title'),
    links: SECTIONS.map(({ path, text }) => ({ href: BASE + path, text: say(text), current: path === section })),
    end: html`<div class="who"><span>${name}</span>${form('/sign-out', html`<button class="second">${say('logout.title')}</button>`)}</div>`,
  };
}

function newsOf({ step: { fault, notice }, voice: { say, project } }: Visit): Markup {
  if (fault)
    return html`<p class="fault" role="alert" id="fault">${say(FAULTS[fault.code] ?? 'fault.invalid', { project, minutes: fault.minutes ?? 1 })}</p>`;
  return notice ? html`<p class="done" role="status">${say('account.saved')}</p>` : html``;
}

/** A form that posts to a page of the account. */
export function form(path: string, content: Markup): Markup {
  return html`<form method="post" action="${BASE}${path}">${content}</form>`;
}

/** A part of a page, with its own heading. */
export function card(title: string, content: Markup): Markup {
  return html`<section class="card"><h2>${title}</h2>${content}</section>`;
}

/** The page of one form, with the way back. */
export function formCard(visit: Visit, back: string, content: Markup): Markup {
  return html`<section class="card">${content}<p class="actions"><a href="${BASE}${back}">${visit.voice.say('action.back')}</a></p></section>`;
}

type Way = { href: string; text: string };

/** One line of a list: what it is, more about it, and what can be done. Each link says what it is about to who only hears it. */
export function row({ title, tag, detail, ways }: { title: string; tag?: Markup | ''; detail: string; ways: Way[] }) {
  const links = ways.map(
    ({ href, text }) => html`<a href="${BASE}${href}">${text}<span class="visually-hidden"> ${title}</span></a>`,
  );
  return html`<li><div><span>${title}${tag ?? ''}</span><small>${detail}</small></div><div class="ways">${links}</div></li>`;
}

/** A day and time as the person writes it, where they are. @param instant ISO 8601 */
export function dateOf({ voice: { language }, profile: { zoneinfo } }: Visit, instant: string): string {
  const options: Intl.DateTimeFormatOptions = { dateStyle: 'medium', timeStyle: 'short' };
  const date = new Date(instant);
  try {
    return new Intl.DateTimeFormat(language, { ...options, timeZone: zoneinfo ?? 'UTC' }).format(date);
  } catch {
    // A zone of the profile that is none.
    return new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' }).format(date);
  }
}
