import type { PromotionChange } from '#api/records.ts';

/** The chosen fields of each chosen change, by its id. A change that is made as a whole has one field without a name. */
export type Choices = ReadonlyMap<string, readonly string[]>;

/** What can be chosen of a change: its fields, or only the whole record. */
export function choicesOf({ action, values }: PromotionChange): string[] {
  return action === 'change' ? [...new Set(values.map(({ field }) => field))] : [''];
}

/** The choices after a person has chosen these fields of a change, and no others. */
export function withFields(choices: Choices, { id }: PromotionChange, fields: readonly string[]): Choices {
  const others = [...choices].filter(([known]) => known !== id);
  return new Map(fields.length === 0 ? others : [...others, [id, fields]]);
}

/** The changes that are chosen, without choices of an earlier plan. */
export function chosenOf(changes: readonly PromotionChange[], choices: Choices): PromotionChange[] {
  return changes.filter(({ id }) => choices.has(id));
}

/** The secrets that the chosen changes need. */
export function secretsOf(changes: readonly PromotionChange[], choices: Choices): string[] {
  return chosenOf(changes, choices).flatMap(({ id, action, values, secrets }) => {
    const fields = choices.get(id) ?? [];
    const sent = action === 'create' || values.some(({ secret, field }) => secret && fields.includes(field));
    return sent ? secrets : [];
  });
}

/** The chosen changes as the API takes them. */
export function requestOf(changes: readonly PromotionChange[], choices: Choices) {
  return chosenOf(changes, choices).map(({ id, action }) => {
    const fields = [...(choices.get(id) ?? [])];
    return action === 'change' ? { id, fields } : { id };
  });
}
