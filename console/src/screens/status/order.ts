type Placed = { id: string; position: number };

/** The gap between positions. It leaves room for the 200 components of an environment below the highest position. */
const STEP = 5;

/**
 * Moves an item one step up (-1) or down (1).
 * @returns the positions to change, and their previous values; both are empty at the edge of the list
 */
export function moved<T extends Placed>(
  items: readonly T[],
  id: string,
  step: -1 | 1,
): { to: Placed[]; from: Placed[] } {
  const at = items.findIndex((item) => item.id === id);
  const [one, other] = [items[at], items[at + step]];
  if (!one || !other) return { to: [], from: [] };
  const order = items.map((item) => (item === one ? other : item === other ? one : item));
  const placed = order.map((item, index) => ({ id: item.id, position: (index + 1) * STEP }));
  const before = new Map(items.map((item) => [item.id, item.position]));
  const to = placed.filter((item) => before.get(item.id) !== item.position);
  return { to, from: to.map((item) => ({ ...item, position: before.get(item.id) ?? item.position })) };
}
