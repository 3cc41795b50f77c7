import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { html, raw } from 'hono/html';

/** Markup that is safe to send, produced by the escaping `html` tag. */
export type Html = ReturnType<typeof html>;

export { html };

const STYLE = `
:root { color-scheme: light dark; --page: light-dark(#f6f7f9, #101319); --card: light-dark(#ffffff, #181c24); --line: light-dark(#dfe3e8, #2a303b);
  --text: light-dark(#171a20, #eceff4); --soft: light-dark(#5a6472, #9aa5b5); --accent: light-dark(#1f5fd0, #84b0ff); --good: light-dark(#177245, #5fce96); --bad: light-dark(#b3261e, #ff8f86); }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 16px/1.55 ui-sans-serif, system-ui, -apple-system, "Segoe UI", sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
header.bar { border-bottom: 1px solid var(--line); background: var(--card); }
header.bar nav { max-width: 60rem; margin: 0 auto; padding: .8rem 1.25rem; display: flex; gap: 1.25rem; align-items: center; flex-wrap: wrap; }
header.bar .name { font-weight: 650; color: var(--text); text-decoration: none; margin-right: auto; display: inline-flex; gap: .55rem; align-items: center; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .4rem; letter-spacing: -.01em; } h2 { font-size: 1.05rem; margin: 0 0 .75rem; }
p { margin: 0 0 1rem; } .soft { color: var(--soft); }
a { color: var(--accent); } a:focus-visible, button:focus-visible, input:focus-visible, summary:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 1.25rem; margin: 0 0 1.25rem; }
.grid { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 17rem), 1fr)); gap: 1.25rem; } .grid .card { margin: 0; } .grid + .card { margin-top: 1.25rem; }
.card > :last-child { margin-bottom: 0; } h1 + .card { margin-top: 1rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .35rem 1rem; margin: 0; } dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
code, pre { font: .9em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; } pre { margin: 0; padding: 1rem; overflow-x: auto; background: var(--page); border: 1px solid var(--line); border-radius: 8px; white-space: pre-wrap; overflow-wrap: anywhere; }
form.stack { display: grid; gap: 1rem; max-width: 26rem; } form.stack label { display: grid; gap: .35rem; font-weight: 600; } form.stack input { font: inherit; color: inherit; background: var(--page); border: 1px solid var(--line); border-radius: 8px; padding: .65rem .8rem; width: 100%; } form.stack button { padding: .75rem 1.1rem; } form.stack label.check { display: block; font-weight: 400; } form.stack label.check input { width: auto; } button.plain { background: none; color: var(--accent); } .narrow { max-width: 32rem; margin: 6vh auto 0; } .narrow form.stack { max-width: none; } .fault { border-left: 3px solid var(--bad); padding-left: .8rem; }
form.search { display: flex; gap: .6rem; margin: 0 0 1.25rem; } input[type=search] { flex: 1; min-width: 0; font: inherit; color: inherit; background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: .55rem .8rem; }
button { font: inherit; font-weight: 600; color: light-dark(#fff, #0d1320); background: var(--accent); border: 0; border-radius: 8px; padding: .55rem 1.1rem; cursor: pointer; }
ul.rows { list-style: none; margin: 0; padding: 0; } ul.rows li + li { border-top: 1px solid var(--line); }
ul.rows a { display: grid; grid-template-columns: 1fr auto; gap: .1rem 1rem; padding: .85rem .25rem; color: inherit; text-decoration: none; } ul.rows a:hover strong { color: var(--accent); text-decoration: underline; }
ul.rows .soft { font-size: .9rem; overflow-wrap: anywhere; } ul.rows a > :nth-child(even) { text-align: right; }
.dot { display: inline-block; width: .65rem; height: .65rem; border-radius: 50%; background: var(--good); margin-right: .45rem; } .dot.bad { background: var(--bad); }
iframe { width: 100%; height: 28rem; border: 1px solid var(--line); border-radius: 8px; background: #fff; }
.visually-hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
@media (prefers-reduced-motion: no-preference) { a, button { transition: color .12s, background-color .12s; } }
`;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/**
 * The Content-Security-Policy of pages: one style by its hash, no scripts, no framing (OA-6).
 * @param leaves true if the response to a form may redirect to an application, and from there anywhere
 */
function policy(leaves: boolean): string {
  const forms = leaves ? '' : "form-action 'self'; ";
  return `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; img-src 'self' data:; frame-src 'self'; ${forms}base-uri 'none'; frame-ancestors 'none'`;
}

const HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

/** A link of the navigation bar. */
export type NavLink = { href: string; label: string };

/** Sends a page in the common layout. */
export function sendPage(
  reply: FastifyReply,
  page: { title: string; nav?: readonly NavLink[]; body: Html; status?: number; leaves?: boolean },
): FastifyReply {
  const nav = (page.nav ?? []).map(({ href, label }) => html`<a href="${href}">${label}</a>`);
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${page.title} · Latchkey</title>
<link rel="icon" href="data:,">
<style>${raw(STYLE)}</style>
</head>
<body>
<header class="bar"><nav aria-label="Main">${page.nav ? html`<a class="name" href="/">${MARK} Latchkey</a>` : html`<span class="name">${MARK} Latchkey</span>`}${nav}</nav></header>
<main>${page.body}</main>
</body>
</html>`;
  return reply
    .code(page.status ?? 200)
    .headers({ ...HEADERS, 'content-security-policy': policy(page.leaves ?? false) })
    .type('text/html; charset=utf-8')
    .serializer(String)
    .send(String(document));
}

const MARK = raw(
  '<svg width="22" height="22" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" aria-hidden="true"><circle cx="8" cy="12" r="4.5"/><path d="M12.5 12H21M18 12v3.5M15 12v2.5"/></svg>',
);

/** True for a browser that asks for a page, false for a program that accepts any type. */
export function wantsPage(accept: string | undefined): boolean {
  return accept?.includes('text/html') ?? false;
}
