/** Levels of arrays and objects within one another. What walks JSON by recursion (JSON.stringify, validators) takes many more. */
const MAX_NESTING = 100;

/** True for JSON that holds more levels than anything sensible does. Walks level by level, so that it bears any depth itself. */
export function isNestedTooDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth <= MAX_NESTING; depth += 1) {
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
    if (level.length === 0) return false;
  }
  return true;
}
