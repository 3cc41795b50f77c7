/** Everything, also types that later versions add. */
export const ALL = '*';

export type Group = { noun: string; pattern: string; types: readonly string[] };

/** The event types by the noun that they begin with, in the order of the catalogue. */
export function groupsOf(types: readonly string[]): Group[] {
  const groups = Map.groupBy(types, (type) => type.split('.')[0] ?? type);
  return [...groups].map(([noun, members]) => ({ noun, pattern: `${noun}.*`, types: members }));
}

/** Whether one of the patterns selects an event type. */
export function selects(patterns: readonly string[], type: string): boolean {
  return patterns.some((pattern) => covers(pattern, type));
}

const covers = (pattern: string, type: string): boolean =>
  pattern === ALL || pattern === type || (pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1)));

/** The patterns after a whole group was selected, or left out. */
export function withGroup(patterns: readonly string[], group: Group, groups: readonly Group[]): string[] {
  const { noun, pattern } = group;
  const others = narrowed(patterns, groups).filter((one) => !one.startsWith(`${noun}.`));
  return isWhole(patterns, group) ? others : [...others, pattern];
}

/** The patterns after one type was selected, or left out; the rest of its group stays as it is. */
export function withType(patterns: readonly string[], type: string, groups: readonly Group[]): string[] {
  if (!selects(patterns, type)) return [...patterns, type];
  return narrowed(patterns, groups).flatMap((pattern) => {
    if (!covers(pattern, type)) return [pattern];
    const covered = groups.flatMap(({ types }) => types).filter((one) => covers(pattern, one));
    return covered.filter((one) => one !== type);
  });
}

/** Whether a group is selected as such, so with the types that later versions add. */
export const isWhole = (patterns: readonly string[], { pattern }: Group): boolean =>
  patterns.includes(ALL) || patterns.includes(pattern);

/** All groups in place of everything. */
const narrowed = (patterns: readonly string[], groups: readonly Group[]): readonly string[] =>
  patterns.includes(ALL) ? groups.map(({ pattern }) => pattern) : patterns;
