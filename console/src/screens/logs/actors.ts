type Actor = { kind: string; [name: string]: unknown } | null;

/** Who did it: an id where there is one, else the kind of actor. Null once the person was erased. */
export function nameOfActor(actor: Actor): string {
  if (!actor) return 'Erased';
  const ids = [actor['userId'], actor['clientId'], actor['id'], actor['name']];
  return ids.find((id) => typeof id === 'string') ?? actor.kind;
}
