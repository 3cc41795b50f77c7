/** The greatest depth of JSON. Recursive code (JSON.stringify, validators) can handle many more levels. */
const MAX_NESTING = 100;

/**
 * What keeps parsed JSON from being stored as it was sent: it is nested deeper than the maximum, or has a number beyond
 * those of JavaScript, which would become null. Iterative, so it can handle any depth itself.
 */
export function faultOfJson(value: unknown): string | undefined {
  let level: unknown[] = [value];
  for (let depth = 0; depth <= MAX_NESTING; depth += 1) {
    if (level.includes(Number.POSITIVE_INFINITY) || level.includes(Number.NEGATIVE_INFINITY))
      return 'has a number that is too large';
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
    if (level.length === 0) return undefined;
  }
  return 'is nested too deeply';
}
