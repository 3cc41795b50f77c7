type Colour = readonly [red: number, green: number, blue: number];

function channels(hex: string): Colour {
  const value = Number.parseInt(hex.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

/** Relative luminance of a colour such as `#1d57c4`, 0 to 1 (WCAG 2.2, definition). */
export function luminance(hex: string): number {
  const [red, green, blue] = channels(hex).map((channel) => {
    const share = channel / 255;
    return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * (red ?? 0) + 0.7152 * (green ?? 0) + 0.0722 * (blue ?? 0);
}

/** Contrast ratio of two colours, 1 to 21 (WCAG 2.2, definition). */
export function contrast(first: string, second: string): number {
  const [one, other] = [luminance(first), luminance(second)];
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}

/** A colour between two others: `share` of the way to the second. */
export function mixed(hex: string, towards: string, share: number): string {
  const [from, to] = [channels(hex), channels(towards)];
  const parts = from.map((channel, index) => Math.round(channel + ((to[index] ?? 0) - channel) * share));
  return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}

/** The least contrast of text (WCAG 2.2 SC 1.4.3). */
export const TEXT_CONTRAST = 4.5;

/** The nearest shade of a colour that is readable on a background (WCAG 2.2 SC 1.4.3: 4.5 to 1). */
export function readableOn(background: string, hex: string): string {
  const towards = luminance(background) > 0.18 ? '#000000' : '#ffffff';
  for (let share = 0; share <= 1; share += 0.05) {
    const candidate = mixed(hex, towards, share);
    if (contrast(candidate, background) >= TEXT_CONTRAST) return candidate;
  }
  return towards;
}
