/** What text and boxes may be given. */
const TEXT = [
  'color',
  'font-size',
  'font-weight',
  'font-style',
  'letter-spacing',
  'line-height',
  'text-align',
  'text-transform',
] as const;
const PAINT = ['background-color', 'color'] as const;
const EDGE = ['border-width', 'border-style', 'border-color', 'border-radius', 'box-shadow'] as const;
const PADDING = ['padding', 'padding-block', 'padding-inline'] as const;

/** What texts stand on. */
export type Surface = 'page' | 'card' | 'header' | 'accent';

export const states = ['hover', 'focus', 'active'] as const;
export type State = (typeof states)[number];

export type StylePart = {
  /** What it is, for documentation. */
  about: string;
  /** Where it is on our pages. It is no promise and may change; the name of the part is one. */
  selector: string;
  properties: readonly string[];
  /** What its text stands on, unless it has a background of its own. */
  on: readonly Surface[];
  states?: readonly State[];
};

/**
 * The parts of hosted pages that a style sheet may name, from the general to the particular. Errors, warnings, confirmations,
 * what an application asks for, and to whom it belongs are none: they look the same everywhere.
 */
export const styleParts: Readonly<Record<string, StylePart>> = {
  page: { about: 'the whole page', selector: 'body', properties: PAINT, on: ['page'] },
  column: {
    about: 'the column in the middle of sign-in pages',
    selector: 'main:not(.framed)',
    properties: ['max-width'],
    on: [],
  },
  header: {
    about: 'the bar on top of the account pages',
    selector: 'header.bar',
    properties: [...PAINT, 'border-width', 'border-style', 'border-color', 'box-shadow'],
    on: ['header'],
  },
  brand: { about: 'logo and name', selector: '.brand', properties: TEXT, on: ['page', 'header'] },
  logo: {
    about: 'the image of the logo',
    selector: '.brand img',
    properties: ['max-width', 'max-height', 'border-radius'],
    on: [],
  },
  card: {
    about: 'what holds a form or a section',
    selector: '.card',
    properties: [...PAINT, ...EDGE, ...PADDING],
    on: ['card'],
  },
  title: { about: 'the title of the page', selector: 'h1', properties: TEXT, on: ['page', 'card'] },
  heading: { about: 'the heading of a section', selector: '.card h2', properties: TEXT, on: ['card'] },
  lead: { about: 'the sentence below a title', selector: '.lead', properties: TEXT, on: ['card'] },
  label: {
    about: 'the label of a field',
    selector: ':is(label:not(.check, .reveal), .field > label:not(.reveal))',
    properties: TEXT,
    on: ['card'],
  },
  field: {
    about: 'what people type or choose in',
    selector: ':is(input:not([type=checkbox], [type=hidden]), select, textarea)',
    properties: [...PAINT, ...EDGE, 'font-size', 'padding', 'padding-block', 'padding-inline'],
    on: ['card'],
    states: ['hover', 'focus'],
  },
  hint: { about: 'a hint below a field', selector: '.hint', properties: TEXT, on: ['card'] },
  button: {
    about: 'the main button',
    selector: ':is(button, a.button):not(.second, .plain, .danger, .person)',
    properties: ['background-color', ...TEXT, ...EDGE, ...PADDING],
    on: ['accent'],
    states,
  },
  'button-second': {
    about: 'another button',
    selector: ':is(button, a.button).second',
    properties: ['background-color', ...TEXT, ...EDGE, ...PADDING],
    on: ['card'],
    states,
  },
  'button-plain': {
    about: 'a button without a border',
    selector: 'button.plain',
    properties: TEXT,
    on: ['card'],
    states,
  },
  link: {
    about: 'links in a card',
    selector: '.card a:not(.button)',
    properties: ['color', 'font-weight'],
    on: ['card'],
    states,
  },
  divider: { about: '“or” between ways to sign in', selector: '.or', properties: TEXT, on: ['card'] },
  note: { about: 'the footer text', selector: '.note', properties: TEXT, on: ['page'] },
  footer: { about: 'the footer links', selector: ':is(footer, footer a)', properties: TEXT, on: ['page'] },
  'nav-link': {
    about: 'a link to a page of the account',
    selector: 'main.framed nav a',
    properties: ['background-color', ...TEXT, ...EDGE],
    on: ['page'],
    states,
  },
  'nav-current': {
    about: 'the link to the account page that is shown',
    selector: 'main.framed nav a[aria-current]',
    properties: ['background-color', ...TEXT, ...EDGE],
    on: ['card'],
  },
};
