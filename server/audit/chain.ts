import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { type Static, Type } from 'typebox';
import type { Scope } from '#platform/ctx.ts';
import { Instant } from '#platform/schemas.ts';

/** The hashed content of an event: everything that the log shows. */
export const AuditedEvent = Type.Object({
  id: Type.String(),
  sequence: Type.Integer(),
  occurredAt: Instant,
  action: Type.String(),
  actor: Type.Object({ kind: Type.String() }, { additionalProperties: true }),
  correlationId: Type.String(),
  example: Type.Optional(Type.Literal(true)),
  data: Type.Record(Type.String(), Type.Unknown()),
});
export type AuditedEvent = Static<typeof AuditedEvent>;

/** Domain separation: a hashed entry can't pass for a hashed link (RFC 6962 §2.1). */
const LEAF = Buffer.of(0);
const LINK = Buffer.of(1);

/** The hash of an entry alone: SHA-256 of its canonical JSON (RFC 8785). */
export function leafOf(entry: AuditedEvent): Buffer {
  return hash('sha256', Buffer.concat([LEAF, canonical(entry)]), 'buffer');
}

/** The hash of the chain up to an entry: of the previous link and the entry's own hash. */
export function linkOf(previous: Buffer, leaf: Buffer): Buffer {
  return hash('sha256', Buffer.concat([LINK, previous, leaf]), 'buffer');
}

/** The predecessor of a scope's first entry. */
export function genesisOf({ workspaceId, projectId, environment }: Scope): Buffer {
  return hash('sha256', canonical({ workspaceId, projectId, environment }), 'buffer');
}

function canonical(value: unknown): Buffer {
  const text = canonicalize(value);
  if (text === undefined) throw new Error('Only JSON has a canonical form.');
  return Buffer.from(text);
}
