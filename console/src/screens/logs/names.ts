import type { AuditEvent, Memberships, Names } from '#api/records.ts';

/** A name in a log entry, and its id. */
export type Named = { name: string; id: string | null; operator?: true };

const ERASED = 'Erased';

/** The name behind an id; the id itself where none is known. */
export function named(id: string, names: Names): Named {
  const name = names[id];
  return { name: name === null ? ERASED : (name ?? id), id };
}

/** What nobody does who is not signed in, but the person whom it makes: a registration. */
const BY_THEMSELVES = ['user.created', 'membership.created'];

type Acted = Pick<AuditEvent, 'actor' | 'resources' | 'data'> & ({ type: string } | { action: string });

/** The actor. Null for an erased person. Who registers is not signed in yet, and still the one who acts. */
export function actorOf(entry: Acted, names: Names): Named {
  const { actor } = entry;
  if (!actor) return { name: ERASED, id: null };
  const type = 'type' in entry ? entry.type : entry.action;
  if (actor.kind === 'anonymous' && BY_THEMSELVES.includes(type)) return subjectOf(entry, names);
  const id = [actor['userId'], actor['applicationId']].find((value) => typeof value === 'string');
  if (id !== undefined) return { ...named(id, names), ...(actor.kind === 'operator' && { operator: true }) };
  if (typeof actor['setupLinkId'] === 'string') return { name: 'Set-up link', id: actor['setupLinkId'] };
  if (typeof actor['name'] === 'string') return { name: `System (${actor['name']})`, id: null };
  return { name: actor.kind === 'anonymous' ? 'Anonymous' : actor.kind, id: null };
}

/** The subject of the entry: a person if there is one, else any record with a name. */
export function subjectOf({ resources, data }: Pick<AuditEvent, 'resources' | 'data'>, names: Names): Named {
  if (!data) return { name: ERASED, id: null };
  const known = resources.filter((id) => names[id] !== undefined);
  const id = known.find((one) => one.startsWith('usr_')) ?? known[0];
  if (id !== undefined) return named(id, names);
  const [first] = resources;
  return { name: nameInData(data) ?? first ?? '–', id: first ?? null };
}

const SCREENS: Readonly<Record<string, string>> = {
  app: '/applications/',
  mem: '/members/',
  org: '/organizations/',
  whe: '/webhooks/',
};

/** The path of the screen that shows the record behind a name; null where there is none. */
export function screenOf({ id, operator }: Named, members: Memberships): string | null {
  if (id === null) return null;
  if (operator) return '/team';
  const member = members[id];
  if (member) return `/members/${member}`;
  const screen = SCREENS[id.slice(0, 3)];
  return screen ? `${screen}${id}` : null;
}

const FIELDS = [
  'email',
  'phone',
  'name',
  'displayName',
  'title',
  'identifier',
  'host',
  'url',
  'key',
  'domain',
  'prefix',
];

function nameInData(data: Record<string, unknown>): string | undefined {
  for (const value of [data, ...Object.values(data)]) {
    if (typeof value !== 'object' || value === null) continue;
    const found = FIELDS.map((field): unknown => Reflect.get(value, field)).find(
      (name) => typeof name === 'string' && name !== '',
    );
    if (typeof found === 'string') return found;
  }
  return undefined;
}
