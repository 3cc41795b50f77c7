import { hash } from 'node:crypto';
import type { StyleFault } from './fault.ts';
import { type State, styleParts } from './parts.ts';
import { MAX_FAULTS, type Read, read, type Sheet } from './read.ts';
import { adapted, type Ground, unreadable } from './surfaces.ts';

export type Compiled = {
  /** What is wrong, in the order of the text; at most twenty. */
  faults: StyleFault[];
  /** CSS of ours that says what the style sheet may say, without what is wrong in it. */
  css: string;
};

const MAX_KNOWN = 500;
const known = new Map<string, Promise<Compiled>>();

/**
 * Reads a style sheet of a project and writes one of ours. Nothing of its text is copied: parts become our selectors, and values
 * are made from what was understood. So it loads nothing, reads nothing, hides and moves nothing, and its texts are readable.
 */
export function compileStyleSheet(text: string, ground: Ground): Promise<Compiled> {
  const key = hash('sha256', JSON.stringify([text, ground.accentColor, ground.backgroundColor]), 'base64url');
  const found = known.get(key);
  if (found !== undefined) return found;
  const oldest = known.size >= MAX_KNOWN ? known.keys().next().value : undefined;
  if (oldest !== undefined) known.delete(oldest);
  const compiled = compile(text, ground);
  known.set(key, compiled);
  compiled.catch(() => known.delete(key));
  return compiled;
}

async function compile(text: string, ground: Ground): Promise<Compiled> {
  const { sheet, medias, faults } = await read(text);
  // What cannot be read goes; what is left may then stand on something else, so it is looked at again.
  for (let found = unreadable(sheet, ground); found.length > 0; found = unreadable(sheet, ground)) {
    for (const { fault, part, state } of found) {
      faults.push(fault);
      withoutColours(sheet, part, state);
    }
  }
  return { faults: inOrder(faults), css: written({ sheet, medias }, ground) };
}

function withoutColours(sheet: Sheet, part: string, state: State | ''): void {
  const ofPart = sheet.get(part);
  for (const declared of [ofPart?.get(state), ofPart?.get('')]) {
    declared?.delete('color');
    declared?.delete('background-color');
  }
}

function inOrder(faults: readonly StyleFault[]): StyleFault[] {
  const sorted = faults.toSorted((one, other) => one.line - other.line || one.column - other.column);
  const places = new Map(sorted.toReversed().map((fault) => [`${fault.line}:${fault.column}`, fault]));
  return sorted.filter((fault) => places.get(`${fault.line}:${fault.column}`) === fault).slice(0, MAX_FAULTS);
}

function written({ sheet, medias }: Omit<Read, 'faults'>, ground: Ground): string {
  const blocks = [
    ...adapted(sheet, ground).map(([selector, css]) => `${selector}{${css}}`),
    ...rulesOf(sheet),
    ...medias.map(({ query, sheet: inside }) => {
      const rules = rulesOf(inside).join('');
      return rules && `@media ${query}{${rules}}`;
    }),
  ].join('');
  if (blocks === '') return '';
  // People who chose colours or more contrast on their device see these.
  return `@media (forced-colors: none) and (not (prefers-contrast: more)){:root{--link-of-brand:var(--link)}${blocks}}`;
}

/** On a phone, the card has the width of the page. */
const ON_WIDE_ALONE = ['border-width', 'border-radius', 'box-shadow'];

function rulesOf(sheet: Sheet): string[] {
  return Object.entries(styleParts).flatMap(([name, { selector }]) =>
    [...(sheet.get(name) ?? [])].map(([state, declared]) => {
      const target = state === '' ? selector : `${selector}:${state}`;
      const all = [...declared].map(([property, { css }]) => ({ property, css: `${property}:${css}` }));
      const isWide = ({ property }: { property: string }) => name === 'card' && ON_WIDE_ALONE.includes(property);
      const wide = all.filter(isWide);
      const everywhere = all.filter((one) => !isWide(one));
      const rule = (list: typeof all) => (list.length > 0 ? `${target}{${list.map(({ css }) => css).join(';')}}` : '');
      return rule(everywhere) + (wide.length > 0 ? `@media (min-width:30.01rem){${rule(wide)}}` : '');
    }),
  );
}
