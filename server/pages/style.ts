/**
 * The style of the hosted pages: one column, one card, both themes, any width. Brandings set the variables at the top.
 */
export const STYLE = `
:root { color-scheme: light dark; --schemes: light dark; --page: light-dark(#f4f5f7, #0f1217); --card: light-dark(#ffffff, #181c24); --line: light-dark(#d9dde3, #323a47);
  --text: light-dark(#14171c, #eef1f5); --soft: light-dark(#56606e, #a3aebd); --accent: light-dark(#1d57c4, #8ab4ff); --ink: light-dark(#ffffff, #0d1320); --edge: transparent; --link: var(--accent);
  --bad: light-dark(#a8201a, #ff958d); --good: light-dark(#146c3c, #63d49b); --radius: 10px; --font: ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; min-height: 100vh; min-height: 100dvh; background: var(--page); color: var(--text); font: 16px/1.5 var(--font); }
main { width: 100%; max-width: 26.5rem; margin-inline: auto; padding: clamp(1.25rem, 7vh, 5rem) 1rem 2rem; }
.brand { display: flex; align-items: center; justify-content: center; gap: .6rem; margin-block-end: 1.5rem; font-weight: 650; font-size: 1.1rem; letter-spacing: -.01em; }
.brand img { max-width: 12rem; max-height: 3rem; } .monogram { display: grid; place-items: center; inline-size: 2rem; block-size: 2rem; border-radius: calc(var(--radius) * .7); background: var(--accent); color: var(--ink); border: 1px solid var(--edge); font-weight: 700; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: calc(var(--radius) * 1.4); padding: clamp(1.25rem, 5vw, 2rem); box-shadow: 0 1px 2px rgb(0 0 0 / .04), 0 8px 24px rgb(0 0 0 / .05); }
h1 { overflow-wrap: anywhere; font-size: 1.45rem; line-height: 1.25; letter-spacing: -.015em; margin: 0 0 .25rem; } h2 { font-size: 1rem; margin: 1.5rem 0 .5rem; }
p { margin: 0 0 1rem; } .lead { color: var(--soft); margin-block-end: 1.25rem; overflow-wrap: anywhere; }
form { display: grid; gap: .9rem; margin: 0; } form + form, form + .list, .list + form { margin-block-start: .75rem; }
label { display: grid; gap: .35rem; font-weight: 600; font-size: .95rem; } label.check { display: flex; align-items: center; gap: .55rem; font-weight: 400; } .hint { font-weight: 400; font-size: .87rem; color: var(--soft); }
input:not([type=checkbox], [type=hidden]) { font: inherit; font-weight: 400; color: inherit; background: light-dark(#ffffff, #11151b); border: 1px solid light-dark(#8a93a0, #6b7686); border-radius: var(--radius); padding: .68rem .8rem; width: 100%; min-width: 0; }
input[type=checkbox] { inline-size: 1.15rem; block-size: 1.15rem; accent-color: var(--accent); flex: none; margin: 0; } input.code { font: 600 1.35rem/1.3 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; letter-spacing: .18em; text-align: center; }
input:is([type=email], [type=url], [type=tel], .code), code { direction: ltr; unicode-bidi: isolate; } [dir=rtl] input:is([type=email], [type=url], [type=tel]) { text-align: right; } [dir=rtl] :is(h1, h2, .brand) { letter-spacing: normal; }
input[aria-invalid=true] { border-color: var(--bad); }
button, a.button { display: flex; align-items: center; justify-content: center; gap: .6rem; font: inherit; font-weight: 600; min-block-size: 2.9rem; padding: .6rem 1rem; width: 100%; border-radius: var(--radius); border: 1px solid var(--edge); background: var(--accent); color: var(--ink); cursor: pointer; text-decoration: none; text-align: center; }
button:hover, a.button:hover { filter: brightness(light-dark(.94, 1.08)); }
button.second, a.button.second { background: transparent; color: var(--text); border-color: light-dark(#8a93a0, #6b7686); } button.second:hover, a.button.second:hover { background: light-dark(#f2f4f7, #212733); filter: none; }
.icon { inline-size: 1.3rem; block-size: 1.3rem; flex: none; }
.field { display: grid; gap: .35rem; position: relative; } .field > :has(+ .reveal) { padding-inline-end: 3rem; }
label.reveal { position: absolute; inset-block-start: 1.85rem; inset-inline-end: .15rem; place-items: center; inline-size: 2.75rem; block-size: 2.75rem; color: var(--soft); cursor: pointer; border-radius: var(--radius); } .reveal:hover, .reveal:has(:checked) { color: var(--text); } .reveal:has(:checked)::after { content: none; } .reveal:not(:has(:checked))::after { content: ""; position: absolute; inline-size: 1.5rem; border-block-start: 1.8px solid; rotate: -45deg; } .reveal:has(:focus-visible) { outline: 3px solid var(--link); outline-offset: -3px; }
.last { font-size: .75rem; font-weight: 600; line-height: 1.5; padding-inline: .5rem; border: 1px solid var(--line); border-radius: 99px; color: var(--soft); white-space: nowrap; }
.named { display: flex; flex-wrap: wrap; gap: .25rem .75rem; align-items: baseline; justify-content: space-between; } .named > span { min-width: 0; overflow-wrap: anywhere; color: var(--text); font-weight: 600; }
button.inline { inline-size: auto; min-block-size: 0; padding: 0; font-size: .93rem; text-decoration: underline; text-underline-offset: .15em; } .parties { display: flex; justify-content: start; margin-block: .75rem; } .parties .monogram { inline-size: 2.75rem; block-size: 2.75rem; font-size: 1.25rem; } .may { margin-block-end: .4rem; font-weight: 600; }
button.plain { background: none; border-color: transparent; color: var(--link); min-block-size: 2.5rem; }
a { color: var(--link); text-underline-offset: .15em; } :focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: var(--radius); }
.row { display: flex; justify-content: space-between; gap: .75rem; align-items: baseline; flex-wrap: wrap; font-size: .93rem; } .list { display: grid; gap: .6rem; } .list > form, .list > details { margin-block: 0; } .list + details { margin-block: .6rem 0; } .after { margin: 1.25rem 0 0; font-size: .95rem; color: var(--soft); text-align: center; }
details { border: 1px solid light-dark(#8a93a0, #6b7686); border-radius: var(--radius); margin-block: .6rem; } summary { cursor: pointer; list-style: none; min-block-size: 2.8rem; display: flex; align-items: center; justify-content: center; gap: .6rem; padding: .6rem 1rem; font-weight: 600; text-align: center; } summary::-webkit-details-marker { display: none; } summary:hover { background: light-dark(#f2f4f7, #212733); border-radius: var(--radius); } details.others { border: 0; } details.others > summary { color: var(--link); min-block-size: 2.5rem; } details.others[open] > summary { border: 0; } details.others .list { margin-block-start: .4rem; } details.others .list > form { padding: 0; } details[open] summary { border-block-end: 1px solid var(--line); } details form { padding: .9rem; }
.or { display: flex; align-items: center; gap: .8rem; color: var(--soft); font-size: .87rem; margin: 1.1rem 0; } .or::before, .or::after { content: ""; flex: 1; border-block-start: 1px solid var(--line); }
.fault, .done { border-inline-start: 3px solid var(--bad); background: color-mix(in srgb, var(--bad) 8%, transparent); padding: .65rem .8rem; border-radius: 4px; margin: 0 0 1rem; } .done { border-color: var(--good); background: color-mix(in srgb, var(--good) 10%, transparent); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem .9rem; margin: 0 0 1rem; font-size: .93rem; } dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
ul.scopes { list-style: none; padding: 0; margin: 0 0 1.25rem; border: 1px solid var(--line); border-radius: var(--radius); } ul.scopes li { padding: .65rem .9rem; } ul.scopes li + li { border-block-start: 1px solid var(--line); }
.person { display: flex; align-items: center; gap: .75rem; text-align: start; justify-content: flex-start; } .person > span:last-child { display: grid; min-width: 0; overflow-wrap: anywhere; line-height: 1.3; } .person small { color: var(--soft); font-weight: 400; }
.qr { display: block; inline-size: 11rem; block-size: 11rem; margin: 0 auto 1rem; background: #fff; padding: .6rem; border-radius: var(--radius); } code { font: .93em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere; } .codes { columns: 2; list-style: none; padding: .9rem; margin: 0 0 1rem; border: 1px solid var(--line); border-radius: var(--radius); } .bigcode { display: block; font: 650 1.7rem/1.4 ui-monospace, Menlo, Consolas, monospace; letter-spacing: .12em; text-align: center; margin: 0 0 1rem; }
.note { color: var(--soft); font-size: .9rem; text-align: center; margin: 1.25rem 0 0; white-space: pre-line; } footer { display: flex; justify-content: center; gap: 1.25rem; flex-wrap: wrap; margin-block-start: 1.5rem; font-size: .87rem; } footer a { color: var(--soft); }
.needs-script { display: none; } .scripted .needs-script { display: grid; } .scripted .no-script { display: none; }
.visually-hidden { position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
@media (max-width: 30rem) { .card { border-inline: 0; border-radius: 0; margin-inline: -1rem; box-shadow: none; } }
.keep { display: flex; flex-wrap: wrap; gap: .6rem; margin-block-end: 1rem; } .keep > * { flex: 1 1 6.5rem; inline-size: auto; }
@media print { .keep, form, nav, header .who, footer { display: none !important; } }
@media (prefers-contrast: more) { :root { --line: currentColor; --soft: var(--text); } }
`;
