import { randomInt } from 'node:crypto';
import { Type } from 'typebox';
import { v7 as uuidv7 } from 'uuid';

/** A TypeID: a prefix that names the kind of record, and a UUIDv7 in Crockford base32, so ids sort by time. */
export type Id<Prefix extends string> = `${Prefix}_${string}`;

export type WorkspaceId = Id<'wrk'>;
export type ProjectId = Id<'prj'>;
export type UserId = Id<'usr'>;
export type MemberId = Id<'mem'>;
export type OrganizationId = Id<'org'>;
export type RoleId = Id<'rol'>;
export type SessionId = Id<'ses'>;
export type ScopeEntryId = Id<'ent'>;
export type ApplicationId = Id<'app'>;
export type EventId = Id<'evt'>;
export type SetupLinkId = Id<'slk'>;

/** The alphabet of Crockford's base32. */
const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';

/** The counter of each recent millisecond: a request keeps its time while others come and go. */
const counted = new Map<number, number>();
const MOMENTS = 4_096;

/**
 * Creates an id whose time part is `now`, so ids sort by the clock of a test too. Ids of one millisecond count up, so
 * the records of one process sort in the order of creation (RFC 9562 §6.2, method 1).
 * @param prefix the kind of record, in lower case letters
 */
export function newId<Prefix extends string>(prefix: Prefix, now: Date): Id<Prefix> {
  const msecs = now.getTime();
  return `${prefix}_${suffixOf({ msecs, seq: nextOf(msecs) })}`;
}

function nextOf(moment: number): number {
  // The counter starts in the lower half of its range, which leaves the upper half to count.
  const next = (counted.get(moment) ?? randomInt(0x7fff_ffff)) + 1;
  counted.delete(moment);
  counted.set(moment, next);
  const [longAgo] = counted.keys();
  if (counted.size > MOMENTS && longAgo !== undefined) counted.delete(longAgo);
  return next;
}

/** The id that is being made. */
const bytes = new Uint8Array(16);

/** A UUIDv7 (RFC 9562 §5.7) in base32. */
function suffixOf(options: Parameters<typeof uuidv7>[0]): string {
  uuidv7(options, bytes);
  return base32();
}

/** Crockford's base32 of the 16 bytes, as TypeIDs have it: two zero bits, then theirs, five for a character. */
function base32(): string {
  let text = '';
  let held = 2;
  let value = 0;
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xfff;
    held += 8;
    for (; held >= 5; held -= 5) text += DIGITS[(value >>> (held - 5)) & 31];
  }
  return text;
}

/** The smallest id possible for this time: ids created at or after it sort at or after this one. */
export function firstIdAt<Prefix extends string>(prefix: Prefix, moment: Date): Id<Prefix> {
  // A UUIDv7 counts from 1970 (RFC 9562 §5.7).
  return `${prefix}_${suffixOf({ msecs: Math.max(0, moment.getTime()), seq: 0, random: new Uint8Array(16) })}`;
}

const ID = /^[a-z](?:[a-z_]*[a-z])?_(?<time>[0-7][0-9a-hjkmnp-tv-z]{9})[0-9a-hjkmnp-tv-z]{16}$/;

/** When an id was made: the time part of its UUIDv7. Null for text that is no id. */
export function timeOfId(id: string): Date | null {
  const time = ID.exec(id)?.groups?.['time'];
  if (time === undefined) return null;
  return new Date([...time].reduce((sum, digit) => sum * 32 + DIGITS.indexOf(digit), 0));
}

/** The schema of ids of one kind; a valid value has the id's type. */
export function IdSchema<Prefix extends string>(prefix: Prefix) {
  return Type.Unsafe<Id<Prefix>>(
    Type.String({
      pattern: `^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`,
      maxLength: prefix.length + 27,
      examples: [`${prefix}_01kaz3w9hqf8p9n2m4v5x6y7z8`],
    }),
  );
}
