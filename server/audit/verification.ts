import { Value } from 'typebox/value';
import { AuditedEvent, leafOf, linkOf } from './chain.ts';
import { CheckpointClaims } from './checkpoints.ts';
import { isIn, type Ranges } from './erasures.ts';
import { contradictionIn } from './evidence.ts';
import { type ExportLine, SealClaims, shapes } from './export.ts';
import { openSigned } from './signing.ts';

/** The result of verifying a complete and unaltered export. */
export type Verified = {
  seal: SealClaims;
  /** The thumbprint (RFC 7638) of the signing key, to compare with the recorded one. */
  key: string;
  /** Entries whose content was erased; their position in the chain is proven, their content is gone. */
  erased: number;
  /** Checkpoints kept elsewhere that cover this stretch and agree with it. */
  checkpoints: number;
};

/** A fault of an export, with a message for its reader. */
export class AuditFault extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'AuditFault';
  }
}

type Reader = { read: (text: string) => Parsed; seal: (text: string) => string | undefined };

const CSV_LINE = /^(\d{1,15}),[^,"]*,[^,"]*,[^,"]*,(?:"((?:[^"]|"")*)")?,([\w-]{43}),([\w-]{43}),$/;

/** The reader of each format, by the first line of the file. */
const READERS = new Map<string, Reader>([
  [
    shapes.json.begin.trimEnd(),
    {
      read: (text) => lineOf(JSON.parse(text.replace(/,$/, '')), (line) => shapes.json.line(line, text.endsWith(','))),
      seal: (text) => /^\],"seal":"([\w.-]+)"\}$/.exec(text)?.[1],
    },
  ],
  [
    shapes.csv.begin.trimEnd(),
    {
      read: (text) => lineOf(readCsv(text), (line) => shapes.csv.line(line, true)),
      seal: (text) => /^seal,,,,,,,([\w.-]+)$/.exec(text)?.[1],
    },
  ],
]);

function readCsv(text: string): Record<string, unknown> {
  const [, sequence, quoted, leaf, hash] = CSV_LINE.exec(text) ?? [];
  return {
    sequence: Number(sequence),
    leaf,
    hash,
    entry: quoted === undefined ? null : JSON.parse(quoted.replaceAll('""', '"')),
  };
}

type Parsed = ExportLine & { written: string };

/** @param write serialises as the export does, to detect extra content in the line */
function lineOf(value: Record<string, unknown>, write: (line: ExportLine) => string): Parsed {
  const { sequence, leaf, hash, entry } = value;
  if (typeof sequence !== 'number' || typeof leaf !== 'string' || typeof hash !== 'string')
    throw new AuditFault('is not an entry of an export');
  if (entry !== null && !Value.Check(AuditedEvent, entry)) throw new AuditFault('is not an entry of an export');
  const line = { sequence, leaf: Buffer.from(leaf, 'base64url'), hash: Buffer.from(hash, 'base64url'), entry };
  return { ...line, written: write(line).trimEnd() };
}

/** Verifies the chain through the entries of an export. */
class Follower {
  first: ExportLine | null = null;
  last: ExportLine | null = null;
  count = 0;
  /** The sequences of entries without content. */
  readonly emptied: number[] = [];
  /** Hashes at the requested sequences. */
  readonly seen = new Map<number, string>();
  readonly #wanted: ReadonlySet<number>;

  constructor(wanted: ReadonlySet<number>) {
    this.#wanted = wanted;
  }

  take(line: ExportLine): void {
    const { sequence, entry, leaf, hash } = line;
    const before = this.last;
    if (before && sequence !== before.sequence + 1)
      throw new AuditFault(`follows entry ${before.sequence}; the entries in between are missing`);
    if (entry && (entry.sequence !== sequence || !leafOf(entry).equals(leaf)))
      throw new AuditFault('was altered: its content does not match its recorded hash');
    if (before && !linkOf(before.hash, leaf).equals(hash))
      throw new AuditFault(`was altered: it does not follow from entry ${before.sequence}`);
    this.first ??= line;
    this.last = line;
    this.count += 1;
    if (!entry) this.emptied.push(sequence);
    if (this.#wanted.has(sequence)) this.seen.set(sequence, hash.toString('base64url'));
  }

  /** Content may only be missing if an erasure entry lists it; otherwise the log was tampered with. */
  requireErased(erased: Ranges): void {
    const hidden = this.emptied.find((sequence) => !isIn(erased, sequence));
    if (hidden !== undefined)
      throw new AuditFault(`Entry ${hidden} was emptied, and the log records no erasure of it.`);
  }

  /** Checks that the seal covers exactly the entries that were read. */
  close({ first, last, count, previous, hash, scope }: SealClaims): void {
    const { first: begin, last: end } = this;
    if (first !== (begin?.sequence ?? null) || last !== (end?.sequence ?? null) || count !== this.count)
      throw new AuditFault(
        `The seal covers ${count} entries, ${first} to ${last}; the file has ${this.count}, ${begin?.sequence ?? 'none'} to ${end?.sequence ?? 'none'}.`,
      );
    if (!begin || !end) return;
    if (!linkOf(Buffer.from(previous, 'base64url'), begin.leaf).equals(begin.hash))
      throw new AuditFault(`Entry ${begin.sequence} was altered: it does not follow from the chain before it.`);
    if (end.hash.toString('base64url') !== hash)
      throw new AuditFault(`The seal is for another chain of ${scope.projectId}.`);
  }
}

/**
 * Proves that an export is complete and unaltered: every entry matches its recorded hash, each link follows from the
 * previous one, no entry is missing, and the installation's seal covers exactly this stretch.
 * @param lines the lines of the file, streamed
 * @param checkpoints signed checkpoints kept elsewhere; those of this stretch must agree with it
 * @throws AuditFault naming the fault and its place
 */
export async function verifyAudit(
  lines: AsyncIterable<string>,
  checkpoints: readonly string[] = [],
): Promise<Verified> {
  const kept = await Promise.all(checkpoints.map(openCheckpoint));
  const follower = new Follower(new Set(kept.map(({ claims }) => claims.sequence)));
  const signed = await follow(lines, follower);
  const { claims, thumbprint } = await opened(signed, 'The seal');
  if (!Value.Check(SealClaims, claims)) throw new AuditFault('The seal is not a seal of an export.');
  follower.close(claims);
  checkLog(claims, follower);
  return {
    seal: claims,
    key: thumbprint,
    erased: follower.emptied.length,
    checkpoints: kept.filter((checkpoint) => agrees(checkpoint, follower, { claims, thumbprint })).length,
  };
}

/**
 * Exports of earlier versions contain no state of the whole log.
 * @throws AuditFault
 */
function checkLog({ log, erased, until, last }: SealClaims, follower: Follower): void {
  if (erased) follower.requireErased(erased);
  const fault = log && contradictionIn(log);
  if (fault !== undefined) throw new AuditFault(fault);
  if (log && until === null && last !== null && last < log.end)
    throw new AuditFault(`The export ends at entry ${last}, and the log at ${log.end}.`);
}

/** @returns the seal at the end */
async function follow(lines: AsyncIterable<string>, follower: Follower): Promise<string> {
  let reader: Reader | undefined;
  let seal: string | undefined;
  let number = 0;
  for await (const text of lines) {
    number += 1;
    if (seal !== undefined) throw new AuditFault(`Line ${number} comes after the seal.`);
    if (reader) seal = step(reader, follower, { text, number });
    else {
      reader = READERS.get(text);
      if (!reader)
        throw new AuditFault('This is not an export of an audit log, or another program has saved it again.');
    }
  }
  if (seal === undefined) throw new AuditFault('The file ends without a seal: its end is missing.');
  return seal;
}

/** @returns the seal, if the line is the seal */
function step(
  reader: Reader,
  follower: Follower,
  { text, number }: { text: string; number: number },
): string | undefined {
  const seal = reader.seal(text);
  if (seal !== undefined) return seal;
  const line = attempt(`Line ${number}`, () => reader.read(text));
  if (line.written !== text)
    throw new AuditFault(
      `Entry ${line.sequence} (line ${number}) was altered: it is not in the form that the export writes.`,
    );
  attempt(`Entry ${line.sequence} (line ${number})`, () => follower.take(line));
  return undefined;
}

function attempt<T>(where: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new AuditFault(`${where} ${error instanceof AuditFault ? error.message : 'is not an entry of an export'}.`);
  }
}

type Kept = { claims: CheckpointClaims; thumbprint: string };

async function openCheckpoint(signed: string): Promise<Kept> {
  const { claims, thumbprint } = await opened(signed, 'A checkpoint');
  if (!Value.Check(CheckpointClaims, claims)) throw new AuditFault('The given checkpoint is not a checkpoint.');
  return { claims, thumbprint };
}

async function opened(signed: string, what: string): Promise<{ claims: unknown; thumbprint: string }> {
  try {
    return await openSigned(signed);
  } catch {
    throw new AuditFault(`${what} was altered: its signature does not match.`);
  }
}

/**
 * @returns false for a checkpoint of another stretch
 * @throws AuditFault if it contradicts the export
 */
function agrees(
  { claims, thumbprint }: Kept,
  follower: Follower,
  export_: { claims: SealClaims; thumbprint: string },
): boolean {
  const { scope, previous, first, last, until, log } = export_.claims;
  if (JSON.stringify(Object.entries(claims.scope).sort()) !== JSON.stringify(Object.entries(scope).sort()))
    throw new AuditFault(`The checkpoint at ${claims.sequence} belongs to another project or environment.`);
  if (thumbprint !== export_.thumbprint)
    throw new AuditFault(`The checkpoint at ${claims.sequence} and the seal are signed with different keys.`);
  const end = log?.end ?? (until === null && claims.at <= export_.claims.at ? (last ?? 0) : claims.sequence);
  if (claims.sequence > end)
    throw new AuditFault(
      `The end of the log is missing: a checkpoint signs entry ${claims.sequence}, and the log ends at ${end}.`,
    );
  const here = claims.sequence + 1 === first ? previous : follower.seen.get(claims.sequence);
  if (here === undefined) return false;
  if (here !== claims.hash)
    throw new AuditFault(
      `History was rewritten: at entry ${claims.sequence} the chain is not what the checkpoint signed.`,
    );
  return true;
}
