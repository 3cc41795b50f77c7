import type { CssNode } from 'css-tree';
import { cssOf, EXPECTED_COLOUR, isColour, type Paint, paintOf, solidOf } from './colours.ts';
import { Unfit } from './fault.ts';

/** A value that was understood; `css` is made from it, never copied. */
export type StyleValue = { css: string; paint?: Paint };

/** The longhands of a declaration. */
export type Longhands = readonly (readonly [property: string, value: StyleValue])[];

type Range = readonly [least: number, most: number];
type Reader = (nodes: readonly CssNode[], whole: CssNode) => StyleValue;

const SHORTHANDS = ['background', 'border'];

/** Reads the value of a property. @throws Unfit */
export function valuesOf(property: string, whole: CssNode): Longhands {
  const nodes = whole.type === 'Value' ? [...whole.children].filter(({ type }) => type !== 'WhiteSpace') : [];
  refuseAddresses(nodes);
  if (property === 'background') return [['background-color', one(nodes, whole, (node) => solid(node))]];
  if (property === 'border') return borderOf(nodes, whole);
  const read = READERS[property];
  if (!read) throw new Unfit(`${property} is refused`, whole);
  return [[property, read(nodes, whole)]];
}

/** The properties that a property stands for. */
export function longhandsOf(property: string): string[] {
  if (property === 'background') return ['background-color'];
  if (property === 'border') return ['border-width', 'border-style', 'border-color'];
  return [property];
}

/** The properties that a part with these properties may be given, shorthands included. */
export function offered(properties: readonly string[]): string[] {
  const short = SHORTHANDS.filter((property) => longhandsOf(property).every((long) => properties.includes(long)));
  return [...new Set([...properties, ...short])].sort();
}

function refuseAddresses(nodes: readonly CssNode[]): void {
  for (const node of nodes) {
    if (
      node.type === 'Url' ||
      (node.type === 'Function' &&
        /^(?:url|src|image|image-set|-webkit-image-set|cross-fade|element|paint)$/i.test(node.name))
    )
      throw new Unfit('addresses are refused: a style sheet loads nothing', node);
    if (node.type === 'Function' && /^(?:var|env|attr|expression|calc|min|max|clamp)$/i.test(node.name))
      throw new Unfit(`${node.name.toLowerCase()}() is refused; expected a plain value`, node);
  }
}

const READERS: Readonly<Record<string, Reader>> = {
  color: (nodes, whole) => one(nodes, whole, solid),
  'background-color': (nodes, whole) => one(nodes, whole, solid),
  'border-color': (nodes, whole) => one(nodes, whole, painted),
  'border-width': (nodes, whole) => one(nodes, whole, (node) => length(node, [0, 0.25])),
  'border-style': words('none', 'solid', 'dashed', 'dotted', 'double'),
  'border-radius': (nodes, whole) => one(nodes, whole, (node) => length(node, [0, 2])),
  'box-shadow': shadows,
  padding: (nodes, whole) => lengths(nodes, whole, { range: [0.25, 4], most: 4 }),
  'padding-block': (nodes, whole) => lengths(nodes, whole, { range: [0.25, 4], most: 2 }),
  'padding-inline': (nodes, whole) => lengths(nodes, whole, { range: [0.5, 4], most: 2 }),
  'font-size': (nodes, whole) => one(nodes, whole, (node) => length(node, [0.875, 2.5])),
  'font-weight': (nodes, whole) => one(nodes, whole, weight),
  'font-style': words('normal', 'italic'),
  'letter-spacing': (nodes, whole) => one(nodes, whole, spacing),
  'line-height': (nodes, whole) => one(nodes, whole, (node) => number(node, [1.2, 2])),
  'text-align': words('start', 'center', 'end'),
  'text-transform': words('none', 'uppercase', 'capitalize'),
  'max-width': (nodes, whole) => one(nodes, whole, (node) => length(node, [4, 48])),
  'max-height': (nodes, whole) => one(nodes, whole, (node) => length(node, [1.5, 8])),
};

function one(nodes: readonly CssNode[], whole: CssNode, read: (node: CssNode) => StyleValue): StyleValue {
  const [node, more] = nodes;
  if (node && !more) return read(node);
  if (!node) throw new Unfit('expected a value', whole);
  // The value is read first, because it may be the first that is wrong.
  read(node);
  throw new Unfit('expected a single value', more);
}

function solid(node: CssNode): StyleValue {
  const paint = solidOf(node);
  return { css: cssOf(paint), paint };
}

function painted(node: CssNode): StyleValue {
  const paint = paintOf(node);
  return { css: cssOf(paint), paint };
}

function words(...known: readonly string[]): Reader {
  return (nodes, whole) =>
    one(nodes, whole, (node) => {
      const word = node.type === 'Identifier' ? node.name.toLowerCase() : '';
      const found = known.find((name) => name === word);
      if (found === undefined) throw new Unfit(`expected ${listOf(known)}`, node);
      return { css: found };
    });
}

function listOf(names: readonly string[]): string {
  return names.length === 1 ? `${names[0]}` : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}

/** A length in rem; `px` count as a sixteenth. */
function length(node: CssNode, [least, most]: Range): StyleValue {
  const value = sizeOf(node, { rem: 1, px: 1 / 16 });
  if (!(value >= least && value <= most))
    throw new Unfit(`expected a length from ${least * 16}px to ${most * 16}px, in px or rem`, node);
  return { css: value === 0 ? '0' : `${rounded(value)}rem` };
}

function spacing(node: CssNode): StyleValue {
  if (node.type === 'Identifier' && node.name === 'normal') return { css: 'normal' };
  const value = sizeOf(node, { em: 1 });
  if (!(value >= -0.03 && value <= 0.15)) throw new Unfit('expected normal or a length from -0.03em to 0.15em', node);
  return { css: `${rounded(value)}em` };
}

/** @returns NaN for what is no length in one of the units */
function sizeOf(node: CssNode, units: Readonly<Record<string, number>>): number {
  if (node.type === 'Number') return Number(node.value) === 0 ? 0 : Number.NaN;
  const unit = node.type === 'Dimension' ? node.unit.toLowerCase() : '';
  return node.type === 'Dimension' && Object.hasOwn(units, unit)
    ? Number(node.value) * (units[unit] ?? Number.NaN)
    : Number.NaN;
}

function lengths(
  nodes: readonly CssNode[],
  whole: CssNode,
  { range, most }: { range: Range; most: number },
): StyleValue {
  if (nodes.length === 0 || nodes.length > most) throw new Unfit(`expected one to ${most} lengths`, whole);
  return { css: nodes.map((node) => length(node, range).css).join(' ') };
}

function number(node: CssNode, [least, most]: Range): StyleValue {
  const value = node.type === 'Number' ? Number(node.value) : Number.NaN;
  if (!(value >= least && value <= most)) throw new Unfit(`expected a number from ${least} to ${most}`, node);
  return { css: rounded(value) };
}

function weight(node: CssNode): StyleValue {
  if (node.type === 'Identifier' && (node.name === 'normal' || node.name === 'bold')) return { css: node.name };
  const value = node.type === 'Number' ? Number(node.value) : Number.NaN;
  if (!(value >= 300 && value <= 900)) throw new Unfit('expected normal, bold or a number from 300 to 900', node);
  return { css: String(Math.round(value)) };
}

function borderOf(nodes: readonly CssNode[], whole: CssNode): Longhands {
  const found = new Map<string, StyleValue>();
  for (const node of nodes) {
    const property = isColour(node) ? 'border-color' : node.type === 'Identifier' ? 'border-style' : 'border-width';
    if (found.has(property)) throw new Unfit('expected a width, a style and a colour, such as 1px solid #d9dde3', node);
    const read = READERS[property];
    if (read) found.set(property, read([node], node));
  }
  if (found.size === 0) throw new Unfit('expected a width, a style and a colour, such as 1px solid #d9dde3', whole);
  return [...found];
}

const EXPECTED_SHADOW = `expected none or up to two shadows: two to four lengths up to 24px, and ${EXPECTED_COLOUR}`;

function shadows(nodes: readonly CssNode[], whole: CssNode): StyleValue {
  const [only] = nodes;
  if (nodes.length === 1 && only?.type === 'Identifier' && only.name === 'none') return { css: 'none' };
  const groups = groupsOf(nodes);
  if (groups.length > 2) throw new Unfit(EXPECTED_SHADOW, whole);
  return { css: groups.map((group) => shadowOf(group, whole)).join(',') };
}

function groupsOf(nodes: readonly CssNode[]): CssNode[][] {
  const groups: CssNode[][] = [[]];
  for (const node of nodes) {
    if (node.type === 'Operator' && node.value === ',') groups.push([]);
    else groups.at(-1)?.push(node);
  }
  return groups;
}

/** The most that a shadow is away from its box and spreads, so that it covers no text beside it. */
const SHADOW: Range = [-1.5, 1.5];
const MAX_SHADOW_ALPHA = 0.5;

function shadowOf(nodes: readonly CssNode[], whole: CssNode): string {
  const colours = nodes.filter(isColour);
  const rest = nodes.filter((node) => !isColour(node));
  const [colour, another] = colours;
  const isUnderstood = rest.every((node) => node.type === 'Dimension' || node.type === 'Number');
  if (!colour || another || !isUnderstood || rest.length < 2 || rest.length > 4)
    throw new Unfit(EXPECTED_SHADOW, nodes[0] ?? whole);
  const paint = paintOf(colour);
  if (Math.max(paint.light.alpha, paint.dark.alpha) > MAX_SHADOW_ALPHA)
    throw new Unfit('expected a colour that is at least half transparent, such as rgb(0 0 0 / 20%)', colour);
  const sizes = rest.map(
    (node, index) => length(node, index === 2 ? [0, 1.5] : index === 3 ? [-1.5, 0.25] : SHADOW).css,
  );
  return `${sizes.join(' ')} ${cssOf(paint)}`;
}

function rounded(value: number): string {
  return String(Math.round(value * 10_000) / 10_000);
}
