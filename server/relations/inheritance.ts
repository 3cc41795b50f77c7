import { ORGANIZATION } from './references.ts';
import type { ResourceType } from './resource-types.ts';

/** Holders of `relation` to a parent of the type `type` have `child_relation` to its resources of the type `child_type`. */
export type Inherited = { type: string; relation: string; child_type: string; child_relation: string };

/** What types inherit. Resources in a parent that belongs to an organization belong to it, too. */
export function inheritedBy(types: readonly ResourceType[]): Inherited[] {
  return types.flatMap(({ key, parents }) =>
    parents.flatMap(({ type, inherits }) =>
      [...Object.entries(inherits), [ORGANIZATION, ORGANIZATION] as const].map(([relation, childRelation]) => ({
        type,
        relation,
        child_type: key,
        child_relation: childRelation,
      })),
    ),
  );
}

/**
 * The relations to resources of a type that give a permission. `organization` is among them, because a role in the
 * organization that a resource belongs to may grant it.
 */
export function relationsGiving(type: ResourceType, permission: string): string[] {
  const giving = type.relations.filter(({ permissions }) => permissions.includes(permission));
  return [...giving.map(({ key }) => key), ORGANIZATION];
}

/** A relation to resources of a type. */
export type State = { type: string; relation: string };

/** The relations to resources of any type that reach one of these by inheritance, and these themselves. */
export function statesReaching(wanted: readonly State[], inherited: readonly Inherited[]): State[] {
  const states = [...wanted];
  for (const state of states) {
    const above = inherited.filter((step) => step.child_type === state.type && step.child_relation === state.relation);
    const fresh = above.filter(
      (step) => !states.some((known) => known.type === step.type && known.relation === step.relation),
    );
    states.push(...fresh.map(({ type, relation }) => ({ type, relation })));
  }
  return states;
}
