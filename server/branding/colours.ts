import { contrast, readableOn } from '#platform/contrast.ts';
import type { Branding } from '#settings';
import { fontFamily } from './fonts.ts';

/** The background of each theme, of the page or of a card, on which a colour is hardest to read. */
const SURFACE = { light: '#f4f5f7', dark: '#181c24' } as const;

/** What is written on a colour: white or nearly black, whichever is readable; black where neither is. */
function inkOn(accent: string): string {
  const readable = ['#ffffff', '#0d1320'].find((ink) => contrast(ink, accent) >= 4.5);
  return readable ?? '#000000';
}

/** The border of a button whose colour hardly differs from what it stands on (WCAG 2.2 SC 1.4.11: 3 to 1). */
function edgeOn(background: string, accent: string): string {
  return contrast(accent, background) >= 3 ? accent : readableOn(background, accent);
}

type ThemeColours = {
  accent: string | null;
  /** The text on the accent. */
  onAccent: string | null;
  background: string | null;
};

const DARK_PAGE = '#101319';

/**
 * The colours of a brand in both themes, for pages that have one accent for everything. With too little contrast it is darkened
 * in the light theme and lightened in the dark one.
 */
export function themeColours({
  accentColor,
  backgroundColor,
}: Pick<Branding, 'accentColor' | 'backgroundColor'>): Record<'light' | 'dark', ThemeColours> {
  const inTheme = (theme: 'light' | 'dark', background: string | null): ThemeColours => {
    const accent = accentColor === null ? null : readableOn(SURFACE[theme], accentColor);
    return { accent, onAccent: accent === null ? null : inkOn(accent), background };
  };
  return {
    light: inTheme('light', backgroundColor),
    dark: inTheme('dark', backgroundColor === null ? null : DARK_PAGE),
  };
}

/**
 * The colours of a brand as CSS variables. Buttons have the accent as it was chosen, in both themes, with a readable ink;
 * links and focus have the nearest shade of it that is readable on cards and on the page.
 */
export function brandStyle(branding: Pick<Branding, 'accentColor' | 'backgroundColor' | 'radius' | 'font'>): string {
  const { light, dark } = themeColours(branding);
  const { accentColor: accent, radius } = branding;
  const variables: string[] = [];
  if (accent !== null) {
    variables.push(`--accent:${accent}`, `--ink:${inkOn(accent)}`);
    variables.push(`--edge:light-dark(${edgeOn(SURFACE.light, accent)},${edgeOn(SURFACE.dark, accent)})`);
    variables.push(`--link:light-dark(${light.accent},${dark.accent})`);
  }
  if (light.background !== null) variables.push(`--page:light-dark(${light.background},${dark.background})`);
  if (radius !== null) variables.push(`--radius:${radius}px`);
  const family = fontFamily(branding.font);
  if (family !== null) variables.push(`--font:${family}`);
  return variables.length > 0 ? `:root{${variables.join(';')}}` : '';
}

/** The font of mails and the colours of their buttons. The background is always light. */
export function mailStyle({ accentColor, font }: Pick<Branding, 'accentColor' | 'font'>) {
  const accent = accentColor ?? '#1f5fd0';
  const family = fontFamily(font) ?? "-apple-system,'Segoe UI',Roboto,sans-serif";
  return { accent, ink: inkOn(accent), edge: edgeOn(SURFACE.light, accent), family };
}
