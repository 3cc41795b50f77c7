/** The greatest depth of JSON. Recursive code (JSON.stringify, validators) can handle many more levels. */
const MAX_NESTING = 100;

/** True for JSON nested deeper than the maximum. Iterative, so it can handle any depth itself. */
export function isNestedTooDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth <= MAX_NESTING; depth += 1) {
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
    if (level.length === 0) return false;
  }
  return true;
}
