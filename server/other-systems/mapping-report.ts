import { createHash } from 'node:crypto';
import type { ReadRow } from '#imports';
import type { Fields } from './fields.ts';
import type { OtherPerson } from './other-person.ts';
import type { JudgedLink, Transferred } from './rows.ts';

/** How many rejected people are named. */
const MAX_NAMED = 20;

type Counts = Record<string, number>;

/** What an import would do, told before anything is written. */
export type MappingReport = {
  people: number;
  skipped: Counts;
  passwords: Counts;
  addresses: { email: number; emailVerified: number; phone: number; phoneVerified: number; username: number };
  blocked: number;
  links: { theirs: string; provider: string | null; state: JudgedLink['state']; people: number }[];
  roles: { theirs: string; role: string | null; people: number }[];
  lost: Counts;
  /** People who cannot be imported. */
  rejected: number;
  rejections: { id: string; reason: string }[];
  /** People with an address or name that somebody before them in the files has. */
  duplicates: number;
};

type Links = MappingReport['links'];

/** What is counted on the way to a report. Memory holds a number for each address and name. */
class Tally {
  readonly seen = new Set<number>();
  readonly skipped = new Map<string, number>();
  readonly passwords = new Map<string, number>();
  readonly roles = new Map<string, number>();
  readonly lost = new Map<string, number>();
  readonly links = new Map<string, Links[number]>();
  readonly rejections: MappingReport['rejections'] = [];
  readonly addresses = { email: 0, emailVerified: 0, phone: 0, phoneVerified: 0, username: 0 };
  people = 0;
  blocked = 0;
  rejected = 0;
  duplicates = 0;
}

/** Starts to count people for a report. */
export function startReport() {
  const tally = new Tally();
  return {
    add: (person: OtherPerson, transferred: Transferred) => add(tally, person, transferred),
    skip: (reason: string) => increase(tally.skipped, reason),
    /** The roles that people have, in the other system's words. */
    roles: () => [...tally.roles.keys()],
    /** @param roles their name → the key here */
    end: (roles: ReadonlyMap<string, string>) => reportOf(tally, roles),
  };
}

function reportOf({ seen: _seen, ...tally }: Tally, roles: ReadonlyMap<string, string>): MappingReport {
  return {
    ...tally,
    skipped: Object.fromEntries(tally.skipped),
    passwords: Object.fromEntries(tally.passwords),
    lost: Object.fromEntries(tally.lost),
    links: [...tally.links.values()],
    roles: [...tally.roles].map(([theirs, people]) => ({ theirs, role: roles.get(theirs) ?? null, people })),
  };
}

function add(tally: Tally, person: OtherPerson, { row, read, faults, lost, links }: Transferred): void {
  for (const role of new Set(person.roles)) increase(tally.roles, role);
  for (const reason of new Set(lost)) increase(tally.lost, reason);
  for (const link of links) addLink(tally.links, link);
  if (!read) {
    tally.rejected += 1;
    const reason = faults.map(({ pointer, message }) => `${pointer} ${message}`.trim()).join('; ');
    if (tally.rejections.length < MAX_NAMED) tally.rejections.push({ id: person.id, reason });
    return;
  }
  tally.people += 1;
  increase(tally.passwords, schemeOf(row['passwordHash']));
  tally.blocked += Number(row['status'] === 'blocked');
  addAddresses(tally.addresses, row);
  addKeys(tally, read);
}

function addAddresses(addresses: Tally['addresses'], row: Fields): void {
  for (const name of ['email', 'phone', 'username'] as const) addresses[name] += Number(row[name] !== undefined);
  for (const name of ['emailVerified', 'phoneVerified'] as const) addresses[name] += Number(row[name] === true);
}

function addKeys(tally: Tally, { identifiers }: ReadRow): void {
  const keys = identifiers.map(({ kind, value }) => fingerprint(`${kind} ${value}`));
  tally.duplicates += Number(keys.some((key) => tally.seen.has(key)));
  for (const key of keys) tally.seen.add(key);
}

function addLink(links: Tally['links'], { theirs, key, state }: JudgedLink): void {
  const name = `${theirs} ${state}`;
  const found = links.get(name) ?? { theirs, provider: key, state, people: 0 };
  links.set(name, { ...found, people: found.people + 1 });
}

function increase(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

/** The kind of a hash, such as `bcrypt`. */
function schemeOf(hash: unknown): string {
  if (typeof hash !== 'string') return 'none';
  if (/^\$2[abxy]\$/.test(hash)) return 'bcrypt';
  return /^\$?([a-z][\w-]*)\$|^\{(\w+)\}/.exec(hash)?.slice(1).find(Boolean) ?? 'other';
}

/** 48 bits of a hash: two of a million people share them in one of five hundred files. */
function fingerprint(text: string): number {
  return createHash('sha256').update(text).digest().readUIntBE(0, 6);
}
