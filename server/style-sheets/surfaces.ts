import { contrast, luminance, mixed, readableOn, TEXT_CONTRAST } from '#platform/contrast.ts';
import { cssOf, type Paint } from './colours.ts';
import { faultAt, type StyleFault } from './fault.ts';
import { type State, type StylePart, type Surface, styleParts } from './parts.ts';
import type { Said, Sheet } from './read.ts';

type Theme = 'light' | 'dark';
const THEMES = ['light', 'dark'] as const;
type InThemes = Readonly<Record<Theme, string>>;

/** The colours of the pages without a style sheet, as `pages/style.ts` has them. */
const OURS = {
  page: { light: '#f4f5f7', dark: '#0f1217' },
  card: { light: '#ffffff', dark: '#181c24' },
  text: { light: '#14171c', dark: '#eef1f5' },
  soft: { light: '#56606e', dark: '#a3aebd' },
  bad: { light: '#a8201a', dark: '#ff958d' },
  good: { light: '#146c3c', dark: '#63d49b' },
  accent: { light: '#1d57c4', dark: '#8ab4ff' },
  field: { light: '#ffffff', dark: '#11151b' },
} as const satisfies Record<string, InThemes>;

/** The colours of a brand that texts stand on; null for ours. */
export type Ground = { accentColor: string | null; backgroundColor: string | null };

/** What the page, the card and the header look like after the style sheet. */
type Grounds = Readonly<Record<Surface, InThemes>> & {
  /** Whether what stands on a surface has the colours of the light or the dark theme. */
  schemes: Readonly<Record<Surface, Readonly<Record<Theme, Theme>>>>;
};

const DARK_PAGE = '#101319';

function groundsOf(sheet: Sheet, { accentColor, backgroundColor }: Ground): Grounds {
  const page = hexes(said(sheet, 'page', 'background-color')?.paint);
  const defaultPage = backgroundColor === null ? OURS.page : { light: backgroundColor, dark: DARK_PAGE };
  const themes: Readonly<Record<Theme, Theme>> = { light: 'light', dark: 'dark' };
  const ofPage = page ? schemeOf(page) : themes;
  const onPage = (name: 'card' | 'header') => {
    const own = hexes(said(sheet, name, 'background-color')?.paint);
    return { ground: own ?? inScheme(OURS.card, ofPage), scheme: own ? schemeOf(own) : ofPage };
  };
  const [card, header] = [onPage('card'), onPage('header')];
  const accent = accentColor === null ? OURS.accent : { light: accentColor, dark: accentColor };
  return {
    ...{ page: page ?? defaultPage, card: card.ground, header: header.ground, accent },
    schemes: { page: ofPage, card: card.scheme, header: header.scheme, accent: card.scheme },
  };
}

function said(sheet: Sheet, part: string, property: string, state: State | '' = ''): Said | undefined {
  const ofPart = sheet.get(part);
  return ofPart?.get(state)?.get(property) ?? ofPart?.get('')?.get(property);
}

function hexes(paint: Paint | undefined): InThemes | undefined {
  return paint && { light: paint.light.hex, dark: paint.dark.hex };
}

function schemeOf({ light, dark }: InThemes): Record<Theme, Theme> {
  const of = (hex: string): Theme => (luminance(hex) > 0.18 ? 'light' : 'dark');
  return { light: of(light), dark: of(dark) };
}

function inScheme(colours: InThemes, scheme: Readonly<Record<Theme, Theme>>): InThemes {
  return { light: colours[scheme.light], dark: colours[scheme.dark] };
}

/** Finds colours that cannot be read, and surfaces that change without their text. */
export function unreadable(sheet: Sheet, ground: Ground): { fault: StyleFault; part: string; state: State | '' }[] {
  const grounds = groundsOf(sheet, ground);
  return Object.entries(styleParts).flatMap(([name, part]) =>
    [...(sheet.get(name)?.keys() ?? [])].flatMap((state) => {
      const fault = faultOfPart({ sheet, grounds, name, part, state });
      return fault ? [{ fault, part: name, state }] : [];
    }),
  );
}

type Looked = { sheet: Sheet; grounds: Grounds; name: string; part: StylePart; state: State | '' };

function faultOfPart({ sheet, grounds, name, part, state }: Looked): StyleFault | undefined {
  const background = said(sheet, name, 'background-color', state);
  const colour = said(sheet, name, 'color', state);
  if (background && !colour)
    return faultAt(`expected a color for .${name}, too, because it has a background`, background.node);
  const text = hexes(colour?.paint);
  if (!colour || !text) return undefined;
  const own = hexes(background?.paint);
  const isSurface = name === 'page' || name === 'card' || name === 'header';
  if (isSurface && !background)
    return faultAt(`expected a background-color for .${name}, too, because it has a color`, colour.node);
  if (own && isSurface) {
    const { light, dark } = schemeOf(own);
    if (light === 'dark' && dark === 'light')
      return faultAt(
        'expected no dark background in the light theme beside a light one in the dark theme',
        colour.node,
      );
  }
  const under = own ? [own] : part.on.map((surface) => grounds[surface]);
  // Texts in fields have the colour of the card.
  if (name === 'card') under.push(inScheme(OURS.field, grounds.schemes.card));
  return faultOfContrast({ text, under, at: colour });
}

function faultOfContrast({ text, under, at }: { text: InThemes; under: InThemes[]; at: Said }): StyleFault | undefined {
  for (const theme of THEMES)
    for (const ground of under) {
      const ratio = contrast(text[theme], ground[theme]);
      if (ratio < TEXT_CONTRAST)
        return faultAt(
          `${text[theme]} on ${ground[theme]} has a contrast of ${(Math.floor(ratio * 10) / 10).toFixed(1)} in the ${theme} theme; expected 4.5 or more`,
          at.node,
        );
    }
  return undefined;
}

/**
 * What stands on a surface with a background of its own: texts, links, errors and lines in shades that are readable there, and
 * fields in the theme that fits.
 * @returns declarations by selector
 */
export function adapted(sheet: Sheet, ground: Ground): [selector: string, css: string][] {
  const grounds = groundsOf(sheet, ground);
  const links = ground.accentColor === null ? OURS.accent : { light: ground.accentColor, dark: ground.accentColor };
  const isPageOwn = said(sheet, 'page', 'background-color') !== undefined;
  return (['page', 'card', 'header'] as const).flatMap((name): [string, string][] => {
    const own = hexes(said(sheet, name, 'background-color')?.paint);
    const text = hexes(said(sheet, name, 'color')?.paint);
    const { selector } = styleParts[name] ?? { selector: '' };
    if (own && text) return [[selector, onOwn({ own, text, links, scheme: grounds.schemes[name], name })]];
    // A card keeps its colours on a page that has others.
    return isPageOwn && name !== 'page' ? [[selector, onOurs(grounds, name)]] : [];
  });
}

type Own = { own: InThemes; text: InThemes; links: InThemes; scheme: Readonly<Record<Theme, Theme>>; name: string };

function onOwn({ own, text, links, scheme, name }: Own): string {
  const shades = (colours: InThemes) =>
    pair({
      light: readableOn(own.light, colours[scheme.light]),
      dark: readableOn(own.dark, colours[scheme.dark]),
    });
  const lines = pair({ light: mixed(own.light, text.light, 0.2), dark: mixed(own.dark, text.dark, 0.2) });
  return [
    `color-scheme:${schemes(scheme)}`,
    `--${name === 'page' ? 'page' : 'card'}:${pair(own)}`,
    `--text:${pair(text)}`,
    `--soft:${shades(OURS.soft)}`,
    `--bad:${shades(OURS.bad)}`,
    `--good:${shades(OURS.good)}`,
    `--link:${shades(links)}`,
    `--line:${lines}`,
    'color:var(--text)',
  ].join(';');
}

function onOurs({ schemes: known }: Grounds, name: Surface): string {
  const ours = Object.entries({ text: OURS.text, soft: OURS.soft, bad: OURS.bad, good: OURS.good });
  return [
    `color-scheme:${schemes(known[name])}`,
    ...ours.map(([variable, colours]) => `--${variable}:${pair(colours)}`),
    '--line:light-dark(#d9dde3,#323a47)',
    '--link:var(--link-of-brand)',
    'color:var(--text)',
  ].join(';');
}

function schemes({ light, dark }: Readonly<Record<Theme, Theme>>): string {
  return light === dark ? light : 'var(--schemes)';
}

function pair({ light, dark }: InThemes): string {
  const solid = (hex: string) => ({ hex, alpha: 1 });
  return cssOf({ light: solid(light), dark: solid(dark) });
}
