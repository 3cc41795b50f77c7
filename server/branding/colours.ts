import type { Branding } from '#settings';

type Colour = readonly [red: number, green: number, blue: number];

function channels(hex: string): Colour {
  const value = Number.parseInt(hex.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

/** Relative luminance (WCAG 2.2, definition). */
function luminance(colour: Colour): number {
  const [red, green, blue] = colour.map((channel) => {
    const share = channel / 255;
    return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * (red ?? 0) + 0.7152 * (green ?? 0) + 0.0722 * (blue ?? 0);
}

/** Contrast ratio of two colours, 1 to 21 (WCAG 2.2, definition). */
export function contrast(first: string, second: string): number {
  const [one, other] = [luminance(channels(first)), luminance(channels(second))];
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}

function mixed(hex: string, towards: string, share: number): string {
  const [from, to] = [channels(hex), channels(towards)];
  const parts = from.map((channel, index) => Math.round(channel + ((to[index] ?? 0) - channel) * share));
  return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}

/** The nearest shade of a colour that is readable on a background (WCAG 2.2 SC 1.4.3: 4.5 to 1). */
function readableOn(background: string, hex: string): string {
  const towards = luminance(channels(background)) > 0.18 ? '#000000' : '#ffffff';
  for (let share = 0; share <= 1; share += 0.05) {
    const candidate = mixed(hex, towards, share);
    if (contrast(candidate, background) >= 4.5) return candidate;
  }
  return towards;
}

const CARD = { light: '#ffffff', dark: '#181c24' } as const;

function inkOn(accent: string): string {
  return contrast('#ffffff', accent) >= 4.5 ? '#ffffff' : '#0d1320';
}

/**
 * The colours of a brand as CSS variables. An accent with too little contrast is darkened in the light theme and
 * lightened in the dark theme.
 */
export function brandStyle({
  accentColor,
  backgroundColor,
  radius,
}: Pick<Branding, 'accentColor' | 'backgroundColor' | 'radius'>): string {
  const variables: string[] = [];
  if (accentColor !== null) {
    const [light, dark] = [readableOn(CARD.light, accentColor), readableOn(CARD.dark, accentColor)];
    variables.push(`--accent:light-dark(${light},${dark})`, `--ink:light-dark(${inkOn(light)},${inkOn(dark)})`);
  }
  if (backgroundColor !== null) variables.push(`--page:light-dark(${backgroundColor},#101319)`);
  if (radius !== null) variables.push(`--radius:${radius}px`);
  return variables.length > 0 ? `:root{${variables.join(';')}}` : '';
}

/** The colours of buttons in mails, whose background is always light. */
export function mailColours({ accentColor }: Pick<Branding, 'accentColor'>): { accent: string; ink: string } {
  const accent = accentColor === null ? '#1f5fd0' : readableOn(CARD.light, accentColor);
  return { accent, ink: inkOn(accent) };
}
