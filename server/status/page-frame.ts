import { hash } from 'node:crypto';
import { raw } from 'hono/html';
import { brandStyle, imageOrigins } from '#branding';
import { type Html, html } from '#platform/html.ts';
import { directionOf } from '#platform/message-format.ts';
import { pathOn, queryOn } from './addresses.ts';
import type { PageBrand } from './stored.ts';
import { timeOf, type View } from './view.ts';
import type { Voice } from './words.ts';

/** The style of the status page: one column, both themes, any width. */
const STYLE = `
:root { color-scheme: light dark; --page: light-dark(#f6f7f9, #0f1217); --card: light-dark(#ffffff, #171b22); --line: light-dark(#dfe3e8, #2b323d); --text: light-dark(#14171c, #eef1f5); --soft: light-dark(#59636f, #a0aab8);
  --accent: light-dark(#1d57c4, #8ab4ff); --ink: light-dark(#ffffff, #0d1320); --edge: transparent; --link: var(--accent); --operational: light-dark(#17804d, #46c588); --degraded_performance: light-dark(#b97a00, #f0bd4f); --partial_outage: light-dark(#cf5a12, #ff9a57); --major_outage: light-dark(#c0291f, #ff7b72); --under_maintenance: light-dark(#3563c9, #84adff); --none: light-dark(#d5dae1, #353d49); }
* { box-sizing: border-box; } html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--page); color: var(--text); font: 16px/1.55 ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
.wrap { max-width: 53rem; margin-inline: auto; padding: 0 1.25rem; }
header { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem .75rem; padding-block: 1.5rem; } header .name { font-weight: 680; font-size: 1.15rem; letter-spacing: -.015em; color: inherit; text-decoration: none; max-inline-size: 100%; overflow-wrap: break-word; } header .name img { block-size: 2rem; max-inline-size: 12rem; object-fit: contain; vertical-align: middle; margin-inline-end: .6rem; } header .right { margin-inline-start: auto; }
.tag { font-size: .78rem; font-weight: 600; border: 1px solid var(--line); border-radius: 99px; padding: .1rem .6rem; color: var(--soft); white-space: nowrap; }
a { color: var(--link); text-underline-offset: .16em; } :focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: 6px; }
h1, h2, h3 { line-height: 1.25; letter-spacing: -.012em; margin: 0; overflow-wrap: anywhere; } h2 { font-size: 1.12rem; margin: 2.4rem 0 .8rem; } h3 { font-size: 1rem; } p { margin: 0; }
.soft { color: var(--soft); } .small { font-size: .875rem; }
.banner { display: flex; align-items: center; gap: 1rem; border-radius: 14px; padding: 1.3rem 1.4rem; background: color-mix(in srgb, var(--state) 11%, var(--card)); border: 1px solid color-mix(in srgb, var(--state) 45%, transparent); }
.banner h1 { font-size: clamp(1.2rem, 4vw, 1.5rem); } .banner svg { flex: none; inline-size: 2.3rem; block-size: 2.3rem; color: var(--state); }
.caveat { margin-block-start: .8rem; padding: .75rem 1rem; border-inline-start: 3px solid var(--degraded_performance); background: color-mix(in srgb, var(--degraded_performance) 10%, transparent); border-radius: 4px; }
.operational { --state: var(--operational); } .degraded_performance { --state: var(--degraded_performance); } .partial_outage { --state: var(--partial_outage); } .major_outage { --state: var(--major_outage); } .under_maintenance { --state: var(--under_maintenance); } .none { --state: var(--none); }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 14px; overflow: hidden; } .card + .card { margin-block-start: 1rem; }
.card > .head { display: flex; align-items: center; justify-content: space-between; gap: 1rem; padding: .85rem 1.25rem; border-block-end: 1px solid var(--line); background: color-mix(in srgb, var(--line) 22%, transparent); }
.row { padding: 1rem 1.25rem; } .row + .row { border-block-start: 1px solid var(--line); } .row .top { display: flex; justify-content: space-between; align-items: baseline; gap: 1rem; } .row .about { font-size: .9rem; color: var(--soft); }
.state { display: inline-flex; align-items: center; gap: .45rem; font-weight: 600; font-size: .9rem; color: color-mix(in srgb, var(--state) 70%, var(--text)); white-space: nowrap; } .state svg { inline-size: 1rem; block-size: 1rem; flex: none; }
.bars { display: block; inline-size: 100%; block-size: 2rem; margin-block: .6rem .35rem; } .bars .bar { fill: var(--state); } .bars .bar:hover { opacity: .7; }
.legend { display: flex; align-items: center; gap: .75rem; font-size: .8rem; color: var(--soft); } .legend::before, .legend::after { content: none; } .legend span:nth-child(2) { flex: 1; text-align: center; font-variant-numeric: tabular-nums; }
.event { border-inline-start: 4px solid var(--state); } .event .row { display: grid; gap: .35rem; } .event h2 { font-size: 1rem; margin: 0; } .event h2 a, .event h3 a { color: inherit; text-decoration: none; } .event h2 a:hover, .event h3 a:hover { text-decoration: underline; }
.meta { display: flex; flex-wrap: wrap; gap: .3rem .9rem; font-size: .875rem; color: var(--soft); } .meta strong { color: var(--text); font-weight: 600; }
ol.updates { list-style: none; margin: .5rem 0 0; padding: 0; display: grid; gap: .85rem; } ol.updates li { position: relative; padding-inline-start: 1.2rem; } ol.updates li::before { content: ""; position: absolute; inset-inline-start: 0; inset-block-start: .52em; inline-size: .5rem; block-size: .5rem; border-radius: 50%; background: var(--line); } ol.updates li:first-child::before { background: var(--state); }
.text { white-space: pre-line; overflow-wrap: anywhere; } .post { border-block-start: 1px solid var(--line); padding: 1rem 1.25rem; } .post h2, .post h3 { margin-block-end: .4rem; }
form { display: grid; gap: .9rem; } label { display: grid; gap: .35rem; font-weight: 600; font-size: .95rem; } input:is([type=email], [type=url], [type=tel]) { direction: ltr; } [dir=rtl] input:is([type=email], [type=url], [type=tel]) { text-align: right; } [dir=rtl] :is(h1, h2, h3, .name) { letter-spacing: normal; } code { direction: ltr; unicode-bidi: isolate; } label.check { display: flex; gap: .55rem; align-items: center; font-weight: 400; }
input:not([type=checkbox], [type=hidden]) { font: inherit; font-weight: 400; color: inherit; background: light-dark(#ffffff, #10141a); border: 1px solid light-dark(#8a93a0, #6b7686); border-radius: 10px; padding: .66rem .8rem; inline-size: 100%; min-inline-size: 0; }
input[type=checkbox] { inline-size: 1.15rem; block-size: 1.15rem; accent-color: var(--accent); flex: none; margin: 0; } input.code { font: 600 1.3rem/1.3 ui-monospace, Menlo, Consolas, monospace; letter-spacing: .16em; text-align: center; }
button, a.button { font: inherit; font-weight: 600; display: inline-flex; justify-content: center; align-items: center; min-block-size: 2.75rem; padding: .55rem 1.2rem; border: 1px solid var(--edge); border-radius: 10px; background: var(--accent); color: var(--ink); cursor: pointer; text-decoration: none; } a.button.plain { background: transparent; color: var(--text); border-color: var(--line); min-block-size: 2.4rem; padding-block: .3rem; font-size: .93rem; } button:hover, a.button:hover { filter: brightness(1.06); }
.inline { display: grid; grid-template-columns: 1fr auto; gap: .6rem; align-items: end; } fieldset { border: 0; padding: 0; margin: 0; display: grid; gap: .5rem; } .choices { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 13rem), 1fr)); gap: .45rem 1rem; padding-block-start: .6rem; } summary { cursor: pointer; font-size: .93rem; color: var(--link); }
.panel { background: var(--card); border: 1px solid var(--line); border-radius: 14px; padding: clamp(1.25rem, 5vw, 2rem); max-width: 32rem; margin: 1rem auto 0; display: grid; gap: 1rem; } .panel h1 { font-size: 1.35rem; } .fault { border-inline-start: 3px solid var(--major_outage); padding: .5rem .8rem; background: color-mix(in srgb, var(--major_outage) 9%, transparent); border-radius: 4px; } code { font: .95em ui-monospace, Menlo, Consolas, monospace; overflow-wrap: anywhere; background: var(--page); border: 1px solid var(--line); border-radius: 6px; padding: .5rem .7rem; display: block; }
.trap { position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%); } .day { padding: 1rem 1.25rem; }
footer { border-block-start: 1px solid var(--line); margin-block: 2.5rem 0; padding-block: 1.5rem 2.5rem; display: grid; gap: .8rem; font-size: .85rem; color: var(--soft); } footer nav { display: flex; flex-wrap: wrap; gap: .3rem 1.1rem; } footer a { color: inherit; }
.filter { max-inline-size: 26rem; margin-block-end: 1rem; } select { font: inherit; font-weight: 400; color: inherit; background: light-dark(#ffffff, #10141a); border: 1px solid light-dark(#8a93a0, #6b7686); border-radius: 10px; padding: .66rem .8rem; inline-size: 100%; min-inline-size: 0; }
.steps { display: flex; align-items: center; justify-content: space-between; gap: 1rem; margin-block-end: .8rem; } .steps h2 { margin: 0; } span.button { visibility: hidden; display: inline-flex; padding: .55rem 1.2rem; } .arrow { display: inline-block; direction: ltr; unicode-bidi: isolate; } [dir=rtl] .arrow { transform: scaleX(-1); } .caveat + .filter { margin-block-start: 1rem; }
.month { inline-size: 100%; table-layout: fixed; border-collapse: separate; border-spacing: 4px; } .month th { font-size: .8rem; font-weight: 600; color: var(--soft); padding: 0; } .month td { padding: 0; block-size: 3rem; vertical-align: top; border-radius: 8px; } .month td[class] { background: color-mix(in srgb, var(--state) 18%, transparent); border-block-end: 3px solid var(--state); } .month td.ahead { --state: transparent; } .month td[aria-current] { outline: 2px solid var(--text); outline-offset: -2px; } .month td > :is(a, span) { display: grid; gap: .1rem; block-size: 100%; padding: .25rem .4rem; font-size: .85rem; font-variant-numeric: tabular-nums; color: inherit; } .dots { display: flex; gap: .2rem; } .dots i { inline-size: .45rem; block-size: .45rem; border-radius: 50%; background: var(--state); }
.key { list-style: none; display: flex; flex-wrap: wrap; gap: .3rem 1rem; margin: .6rem 0 0; padding: 0; } .key li { display: flex; align-items: center; gap: .4rem; } .key li::before { content: ""; inline-size: .7rem; block-size: .7rem; border-radius: 3px; background: var(--state); }
.ways { display: flex; flex-wrap: wrap; gap: .5rem; padding-block-start: .4rem; } .ways a { border: 1px solid var(--line); border-radius: 10px; padding: .35rem .8rem; font-size: .93rem; color: inherit; text-decoration: none; } .ways a:hover { border-color: currentColor; }
.caption { margin-block-start: .8rem; } h1.title { font-size: 1.35rem; margin: 1rem 0; }
.visually-hidden { position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
@media (max-width: 34rem) { .inline { grid-template-columns: 1fr; } .banner { padding: 1.1rem; } .bars { block-size: 1.7rem; } }
@media (prefers-contrast: more) { :root { --line: currentColor; --soft: var(--text); } }
`;

/** Adds the visitor's time to each time in UTC, where it differs. Without it the page lacks nothing else. */
const LOCAL_TIMES = `for (const time of document.querySelectorAll('time')) {
  const date = new Date(time.dateTime);
  if (date.getTimezoneOffset() === 0) continue;
  const parts = { month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit', timeZoneName: 'short' };
  time.after(' (' + date.toLocaleString(document.documentElement.lang, parts) + ')');
}`;

function sha256(text: string): string {
  return `'sha256-${hash('sha256', text, 'base64')}'`;
}

const SAME_FOR_ALL = { style: sha256(STYLE), script: sha256(LOCAL_TIMES) };

/** Allows the styles and the script of the page by their hashes, and its logo; no framing (OA-6). */
export function pageHeaders({ brand }: Pick<View, 'brand'>): Record<string, string> {
  const colours = colourStyle(brand);
  const styles = colours === '' ? SAME_FOR_ALL.style : `${SAME_FOR_ALL.style} ${sha256(colours)}`;
  const images = imageOrigins(imagesOf(brand))
    .map((origin) => ` ${origin}`)
    .join('');
  return {
    'content-security-policy': `default-src 'none'; style-src ${styles}; script-src ${SAME_FOR_ALL.script}; img-src 'self' data:${images}; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'x-frame-options': 'DENY',
  };
}

function colourStyle({ accentColor }: PageBrand): string {
  return brandStyle({ accentColor, backgroundColor: null, radius: null });
}

/** The images of the page. A URI by its form may still be no address, such as one with the port 99999. */
function imagesOf({ logoUrl, darkLogoUrl = null, faviconUrl = logoUrl }: PageBrand) {
  const known = (address: string | null) => (address !== null && URL.canParse(address) ? address : null);
  return { logoUrl: known(logoUrl), darkLogoUrl: known(darkLogoUrl), faviconUrl: known(faviconUrl) };
}

function logo({ logoUrl, darkLogoUrl }: ReturnType<typeof imagesOf>): Html | '' {
  if (logoUrl === null) return '';
  const image = html`<img src="${logoUrl}" alt="">`;
  return darkLogoUrl === null
    ? image
    : html`<picture><source srcset="${darkLogoUrl}" media="(prefers-color-scheme: dark)">${image}</picture>`;
}

/** A time in UTC that scripts can read. */
export function moment(at: string): Html {
  return html`<time dir="ltr" datetime="${at}">${timeOf(at)}</time>`;
}

const NAMES = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
  ja: '日本語',
  zh: '中文',
  ar: 'العربية',
} as const;

export type Frame = {
  voice: Voice;
  view: Pick<View, 'name' | 'brand' | 'page' | 'languages'>;
  title: string;
  body: Html;
  /** The address of this page without its language; null where it can't be requested again. */
  self: string | null;
  /** Feeds that programs can discover. */
  feeds?: readonly { href: string; type: string; label: string }[];
};

/** The address of the status page from a page below it, in the same language. */
export function homeOf({ page }: Pick<View, 'page'>, { language }: Voice): string {
  return `${pathOn(page, '/status')}${queryOn(page, { lang: language })}`;
}

/** A complete HTML document. */
export function framed({ voice, view, title, body, self, feeds = [] }: Frame): string {
  const { say, language } = voice;
  const { name, brand, page } = view;
  const home = homeOf(view, voice);
  const images = imagesOf(brand);
  const colours = colourStyle(brand);
  const own = view.languages.offered.map(
    (one) => html`<a href="${self}${queryOn(page, { lang: one })}" lang="${one}" hreflang="${one}">${NAMES[one]}</a>`,
  );
  return String(html`<!doctype html>
<html lang="${language}" dir="${directionOf(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="${images.faviconUrl ?? 'data:,'}">
${feeds.map(({ href, type, label }) => html`<link rel="alternate" type="${type}" title="${label}" href="${href}">`)}
<style>${raw(STYLE)}</style>${colours === '' ? '' : html`<style>${raw(colours)}</style>`}
</head>
<body>
<div class="wrap">
<header><a class="name" href="${home}">${logo(images)}${say('title', { name })}</a>${page.environment === 'test' ? html`<span class="tag">${say('test')}</span>` : ''}<span class="right"><a class="button plain" href="${home}#subscribe">${say('subscribe.button')}</a></span></header>
<main>${body}</main>
<footer>
${feeds.length > 0 ? html`<nav aria-label="${say('page.feeds')}">${feeds.map(({ href, label }) => html`<a href="${href}">${label}</a>`)}</nav>` : ''}
${self === null || own.length === 1 ? '' : html`<nav aria-label="Language">${own}</nav>`}
${brand.supportUrl === null ? '' : html`<p><a href="${brand.supportUrl}">${say('page.support')}</a></p>`}
<p>${say('page.utc')}</p>
</footer>
</div>
<script>${raw(LOCAL_TIMES)}</script>
</body>
</html>`);
}

const ICONS = {
  operational: '<circle cx="12" cy="12" r="9"/><path d="m8 12.3 2.7 2.7L16 9.5"/>',
  degraded_performance: '<path d="M12 3.5 21.5 20h-19z"/><path d="M12 10v4.2M12 17.2v.1"/>',
  partial_outage: '<path d="M12 3.5 21.5 20h-19z"/><path d="M12 10v4.2M12 17.2v.1"/>',
  major_outage: '<circle cx="12" cy="12" r="9"/><path d="m9 9 6 6m0-6-6 6"/>',
  under_maintenance: '<circle cx="12" cy="12" r="9"/><path d="M12 7v5l3.2 2"/>',
} as const;

/** The icon of a state. It is decorative: the text beside it has the same information. */
export function icon(state: keyof typeof ICONS): Html {
  return raw(
    `<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${ICONS[state]}</svg>`,
  );
}
