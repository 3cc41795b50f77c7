import type { CssNode, FunctionNode } from 'css-tree';
import { Unfit } from './fault.ts';

/** A colour of one theme; `alpha` is 0 to 1. */
type Shade = { hex: string; alpha: number };
/** A colour in both themes. */
export type Paint = Readonly<Record<'light' | 'dark', Shade>>;

export const EXPECTED_COLOUR =
  'a colour, such as #1d57c4, rgb(29 87 196), hsl(219 74% 44%) or light-dark(#1d57c4, #8ab4ff)';

const NAMED: Readonly<Record<string, Shade>> = {
  white: { hex: '#ffffff', alpha: 1 },
  black: { hex: '#000000', alpha: 1 },
  transparent: { hex: '#000000', alpha: 0 },
};

/** @throws Unfit */
export function paintOf(node: CssNode): Paint {
  if (node.type === 'Function' && node.name.toLowerCase() === 'light-dark') {
    const [light, dark, ...more] = argumentsOf(node);
    if (!light || !dark || more.length > 0)
      throw new Unfit('expected two colours: light-dark(for the light theme, for the dark theme)', node);
    return { light: shadeOf(light), dark: shadeOf(dark) };
  }
  const shade = shadeOf(node);
  return { light: shade, dark: shade };
}

export function isColour(node: CssNode): boolean {
  return (
    node.type === 'Hash' || node.type === 'Function' || (node.type === 'Identifier' && Object.hasOwn(NAMED, node.name))
  );
}

/** A colour without transparency: text and its background. */
export function solidOf(node: CssNode): Paint {
  const paint = paintOf(node);
  if (paint.light.alpha < 1 || paint.dark.alpha < 1)
    throw new Unfit(`expected a colour without transparency, because text must be readable on it`, node);
  return paint;
}

export function cssOf({ light, dark }: Paint): string {
  const [one, other] = [written(light), written(dark)];
  return one === other ? one : `light-dark(${one},${other})`;
}

function written({ hex, alpha }: Shade): string {
  const share = Math.round(alpha * 255);
  return share === 255 ? hex : hex + share.toString(16).padStart(2, '0');
}

function shadeOf(node: CssNode): Shade {
  if (node.type === 'Hash') return fromHex(node.value, node);
  if (node.type === 'Identifier') {
    const named = Object.hasOwn(NAMED, node.name) ? NAMED[node.name] : undefined;
    if (named) return named;
  }
  if (node.type === 'Function') {
    const name = node.name.toLowerCase();
    if (name === 'rgb' || name === 'rgba') return fromRgb(node);
    if (name === 'hsl' || name === 'hsla') return fromHsl(node);
  }
  throw new Unfit(`expected ${EXPECTED_COLOUR}`, node);
}

function fromHex(value: string, node: CssNode): Shade {
  const digits = value.length <= 4 ? [...value].map((digit) => digit + digit).join('') : value;
  if (!/^(?:[0-9a-f]{6}|[0-9a-f]{8})$/i.test(digits)) throw new Unfit(`expected ${EXPECTED_COLOUR}`, node);
  const alpha = digits.length === 8 ? Number.parseInt(digits.slice(6), 16) / 255 : 1;
  return { hex: `#${digits.slice(0, 6).toLowerCase()}`, alpha };
}

function fromRgb(node: FunctionNode): Shade {
  const [channels, alpha] = channelsOf(node);
  const parts = channels.map((part) => {
    if (part.type === 'Number') return Number(part.value);
    if (part.type === 'Percentage') return Number(part.value) * 2.55;
    throw new Unfit(`expected ${EXPECTED_COLOUR}`, node);
  });
  return { hex: hexOf(parts), alpha };
}

function fromHsl(node: FunctionNode): Shade {
  const [[hue, saturation, lightness], alpha] = channelsOf(node);
  const degrees =
    hue?.type === 'Number' || (hue?.type === 'Dimension' && hue.unit === 'deg') ? Number(hue.value) : Number.NaN;
  const share = (part: CssNode | undefined) => (part?.type === 'Percentage' ? Number(part.value) / 100 : Number.NaN);
  const [s, l] = [clamp(share(saturation), 1), clamp(share(lightness), 1)];
  if (!Number.isFinite(degrees + s + l)) throw new Unfit(`expected ${EXPECTED_COLOUR}`, node);
  // CSS Color 4 §7.1.
  const channel = (offset: number) => {
    const position = (((offset + degrees / 30) % 12) + 12) % 12;
    return 255 * (l - s * Math.min(l, 1 - l) * Math.max(-1, Math.min(position - 3, 9 - position, 1)));
  };
  return { hex: hexOf([channel(0), channel(8), channel(4)]), alpha };
}

/** Three channels and the alpha, in the form with spaces or the one with commas. */
function channelsOf(node: FunctionNode): [channels: CssNode[], alpha: number] {
  const parts = [...node.children].filter(({ type }) => type !== 'Operator' && type !== 'WhiteSpace');
  const [alpha] = parts.slice(3);
  if (parts.length < 3 || parts.length > 4) throw new Unfit(`expected ${EXPECTED_COLOUR}`, node);
  if (!alpha) return [parts, 1];
  const share =
    alpha.type === 'Percentage'
      ? Number(alpha.value) / 100
      : alpha.type === 'Number'
        ? Number(alpha.value)
        : Number.NaN;
  if (Number.isNaN(share)) throw new Unfit(`expected ${EXPECTED_COLOUR}`, node);
  return [parts.slice(0, 3), clamp(share, 1)];
}

function argumentsOf({ children }: FunctionNode): CssNode[] {
  return [...children].filter(({ type }) => type !== 'Operator' && type !== 'WhiteSpace');
}

function hexOf(channels: readonly number[]): string {
  return `#${channels.map((part) => Math.round(clamp(part, 255)).toString(16).padStart(2, '0')).join('')}`;
}

function clamp(value: number, max: number): number {
  return Math.min(max, Math.max(0, value));
}
