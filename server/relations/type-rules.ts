import { problem } from '#platform/problem.ts';
import { isReserved, ORGANIZATION, PARENT } from './references.ts';
import type { ResourceType } from './resource-types.ts';

type Draft = Pick<ResourceType, 'key' | 'relations' | 'parents'>;
type Fault = { pointer: string; message: string };

/**
 * Checks a type together with the other types of the project.
 * @throws Problem VALIDATION_FAILED
 */
export function checkType(draft: Draft, types: readonly Draft[]): void {
  const all = [...types.filter(({ key }) => key !== draft.key), draft];
  const errors = [...faultsOfKey(draft), ...faultsOfRelations(draft), ...faultsOfParents(draft, all)];
  const children = all.filter((type) => type !== draft).flatMap((child) => brokenChild(draft, child));
  if (errors.length + children.length > 0)
    throw problem('VALIDATION_FAILED', { extensions: { errors: [...errors, ...children] } });
}

function faultsOfKey({ key }: Draft): Fault[] {
  return isReserved(key) ? [{ pointer: '/body/key', message: `"${key}" names a kind of subject` }] : [];
}

function faultsOfRelations({ relations }: Draft): Fault[] {
  const keys = relations.map(({ key }) => key);
  return keys.flatMap((key, index) => {
    const pointer = `/body/relations/${index}/key`;
    if (key === PARENT || key === ORGANIZATION)
      return [{ pointer, message: `every type has the relation "${key}" already` }];
    return keys.indexOf(key) === index ? [] : [{ pointer, message: `"${key}" is given twice` }];
  });
}

function faultsOfParents({ relations, parents }: Draft, all: readonly Draft[]): Fault[] {
  const own = relations.map(({ key }) => key);
  const named = parents.map(({ type }) => type);
  return parents.flatMap(({ type, inherits }, index) => {
    const pointer = `/body/parents/${index}`;
    const parent = all.find(({ key }) => key === type);
    if (!parent) return [{ pointer: `${pointer}/type`, message: `"${type}" is not a resource type of this project` }];
    if (named.indexOf(type) !== index) return [{ pointer: `${pointer}/type`, message: `"${type}" is given twice` }];
    return Object.entries(inherits).flatMap(([from, to]) => [
      ...(has(parent, from)
        ? []
        : [{ pointer: `${pointer}/inherits`, message: `"${from}" is no relation of "${type}"` }]),
      ...(own.includes(to) ? [] : [{ pointer: `${pointer}/inherits`, message: `"${to}" is no relation of this type` }]),
    ]);
  });
}

/** A child inherits a relation that the changed type no longer has. */
function brokenChild(draft: Draft, { key, parents }: Draft): Fault[] {
  const inherited = parents.filter(({ type }) => type === draft.key).flatMap(({ inherits }) => Object.keys(inherits));
  return inherited
    .filter((relation) => !has(draft, relation))
    .map((relation) => ({ pointer: '/body/relations', message: `the type "${key}" inherits "${relation}"` }));
}

function has({ relations }: Draft, key: string): boolean {
  return relations.some((relation) => relation.key === key);
}
