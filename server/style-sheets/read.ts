import type { Atrule, Block, CssNode, Declaration, Rule } from 'css-tree';
import { faultAt, type StyleFault, Unfit } from './fault.ts';
import { type State, type StylePart, states, styleParts } from './parts.ts';
import { longhandsOf, offered, type StyleValue, valuesOf } from './values.ts';

/** What was said of one property, and where. */
export type Said = StyleValue & { node: CssNode };
/** Properties by name, in the order in which they were said. */
type Declared = Map<string, Said>;
/** What was said of each part, in one state or in none. */
export type Sheet = Map<string, Map<State | '', Declared>>;
export type Read = { sheet: Sheet; medias: { query: string; sheet: Sheet }[]; faults: StyleFault[] };

/** The most faults that are named at once. */
export const MAX_FAULTS = 20;
const MAX_MEDIAS = 20;

/** Reads a style sheet. What it may not say is left out and named among the faults. */
export async function read(css: string): Promise<Read> {
  const { default: parse } = await import('css-tree/parser');
  const faults: StyleFault[] = [];
  const tree = parse(css, {
    positions: true,
    onParseError: ({ line, column, message }) => {
      // A parser that gave up, as on very deep nesting, names no place.
      faults.push({ line: line ?? 1, column: column ?? 1, message: line ? lowered(message) : 'this cannot be read' });
    },
  });
  const known: Read = { sheet: new Map(), medias: [], faults };
  if (tree.type !== 'StyleSheet') return known;
  for (const node of tree.children) {
    if (node.type === 'Rule') readRule(known.sheet, node, known);
    else if (node.type === 'Atrule') readMedia(node, known);
    else if (node.type === 'Raw' && !faults.some(({ line }) => line === node.loc?.start.line))
      faults.push(faultAt('expected a rule, such as .card { … }', node));
    else if (node.type !== 'Comment' && node.type !== 'Raw')
      faults.push(faultAt('expected a rule, such as .card { … }', node));
  }
  return known;
}

function lowered(message: string): string {
  return message.slice(0, 1).toLowerCase() + message.slice(1);
}

/** Runs one step; what it may not say is a fault. */
function orFault(faults: StyleFault[], node: CssNode, step: () => void): void {
  try {
    step();
  } catch (error) {
    if (!(error instanceof Unfit)) throw error;
    faults.push(faultAt(error.message, error.node ?? node));
  }
}

function readRule(sheet: Sheet, rule: Rule, { faults }: Read, isInMedia = false): void {
  const targets = targetsOf(rule, faults);
  for (const node of rule.block.children) {
    if (node.type === 'Declaration') {
      orFault(faults, node, () => {
        for (const { name, state, part } of targets) {
          const declared = declaredOf(sheet, name, state);
          for (const [property, value] of understood(node, part, name, isInMedia)) {
            declared.delete(property);
            declared.set(property, { ...value, node });
          }
        }
      });
    } else if (node.type === 'Rule' || node.type === 'Atrule')
      faults.push(faultAt('rules in rules are refused; expected a property, such as color: #14171c', node));
  }
}

function declaredOf(sheet: Sheet, name: string, state: State | ''): Declared {
  const ofPart = sheet.get(name) ?? new Map<State | '', Declared>();
  sheet.set(name, ofPart);
  const declared = ofPart.get(state) ?? new Map<string, Said>();
  ofPart.set(state, declared);
  return declared;
}

function understood(node: Declaration, part: StylePart, name: string, isInMedia: boolean) {
  const property = node.property.toLowerCase();
  if (!longhandsOf(property).every((long) => part.properties.includes(long)))
    throw new Unfit(
      `${property} is refused for .${name}; expected one of ${offered(part.properties).join(', ')}`,
      node,
    );
  if (node.important) throw new Unfit('!important is refused', node);
  const values = valuesOf(property, node.value);
  if (isInMedia && values.some(([, { paint }]) => paint))
    throw new Unfit('colours are refused in @media; expected light-dark(…) for both themes', node);
  return values;
}

type Target = { name: string; state: State | ''; part: StylePart };

const EXPECTED_SELECTOR = 'expected a part, such as .card or .button:hover';

function targetsOf({ prelude }: Rule, faults: StyleFault[]): Target[] {
  if (prelude.type !== 'SelectorList') return [];
  const targets: Target[] = [];
  for (const selector of prelude.children) orFault(faults, selector, () => targets.push(targetOf(selector)));
  return targets;
}

function targetOf(selector: CssNode): Target {
  const [part, state, ...more] = selector.type === 'Selector' ? [...selector.children] : [];
  if (part?.type !== 'ClassSelector') throw new Unfit(EXPECTED_SELECTOR, part ?? selector);
  const found = Object.hasOwn(styleParts, part.name) ? styleParts[part.name] : undefined;
  if (!found)
    throw new Unfit(`there is no part .${part.name}; expected one of .${Object.keys(styleParts).join(', .')}`, part);
  if (more[0]) throw new Unfit(`${EXPECTED_SELECTOR}, and nothing else`, more[0]);
  if (!state) return { name: part.name, state: '', part: found };
  const named =
    state.type === 'PseudoClassSelector' && !state.children ? states.find((name) => name === state.name) : undefined;
  if (!named || !found.states?.includes(named)) {
    const known = (found.states ?? []).map((name) => `:${name}`).join(', ');
    throw new Unfit(known ? `expected ${known}, or nothing else` : `.${part.name} stands alone`, state);
  }
  return { name: part.name, state: named, part: found };
}

const EXPECTED_MEDIA = 'expected @media (min-width: …) or @media (max-width: …), in px or rem';

function readMedia(node: Atrule, known: Read): void {
  orFault(known.faults, node, () => {
    if (node.name.toLowerCase() !== 'media')
      throw new Unfit(`@${node.name.slice(0, 40)} is refused; ${EXPECTED_MEDIA}`, node);
    if (known.medias.length >= MAX_MEDIAS) throw new Unfit(`expected at most ${MAX_MEDIAS} times @media`, node);
    const query = queryOf(node);
    const sheet: Sheet = new Map();
    known.medias.push({ query, sheet });
    readBlock(sheet, node.block, known);
  });
}

function readBlock(sheet: Sheet, block: Block | null, known: Read): void {
  for (const node of block?.children ?? []) {
    if (node.type === 'Rule') readRule(sheet, node, known, true);
    else if (node.type === 'Atrule') known.faults.push(faultAt('rules with @ in @media are refused', node));
  }
}

/** The query of a width, made from its numbers. */
function queryOf({ prelude }: Atrule): string {
  const list = prelude?.type === 'AtrulePrelude' ? prelude.children.first : null;
  const queries = list?.type === 'MediaQueryList' ? [...list.children] : [];
  const [query] = queries;
  const condition =
    query?.type === 'MediaQuery' && query.mediaType === null && query.modifier === null ? query.condition : null;
  const [feature, ...more] = condition ? [...condition.children] : [];
  const isPlain = queries.length === 1 && more.length === 0 && feature?.type === 'Feature';
  if (!isPlain || (feature.name !== 'min-width' && feature.name !== 'max-width') || feature.value?.type !== 'Dimension')
    throw new Unfit(EXPECTED_MEDIA, prelude ?? undefined);
  const { unit, value } = feature.value;
  const size = Number(value);
  if ((unit !== 'px' && unit !== 'rem') || !(size >= 0 && size <= 10_000)) throw new Unfit(EXPECTED_MEDIA, feature);
  return `(${feature.name}:${size}${unit})`;
}
