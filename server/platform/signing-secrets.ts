import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { Type } from 'typebox';
import type { Keyring } from './keyring.ts';
import { problem } from './problem.ts';
import { type SealedColumn, sealedIn } from './sealed.ts';

/** A stored signing secret. Times are ISO 8601; `expiresAt` null: the current secret. */
export type StoredSecret = { sealed: string; createdAt: string; expiresAt: string | null };

/** Where the secrets of records are kept: a column `secrets` of {@link StoredSecret}s. */
export function secretsIn(table: Parameters<typeof sealedIn>[0]): SealedColumn {
  return {
    ...sealedIn(table, 'secrets'),
    json: {
      text: sql`secrets::text`,
      again: (content, seal) =>
        Array.isArray(content)
          ? content.map((secret) => ({ ...secret, sealed: seal(String(secret.sealed)) }))
          : content,
    },
  };
}

const PREFIX = 'whsec_';
/** Each live secret adds a signature to every message. */
const MAX_LIVE = 4;

/** How long a previous secret also signs where a request does not say it: a day. */
export const OVERLAP_SECONDS = 86_400;

/** The body of a request that rotates a secret. */
export const Rotation = Type.Object(
  {
    overlapSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 7 * OVERLAP_SECONDS,
        description: 'How long the previous secret also signs, in seconds; a day when absent.',
      }),
    ),
  },
  { additionalProperties: false },
);

/** Creates a secret: 256 random bits, in the format of Standard Webhooks. */
export function newSecret(): string {
  return PREFIX + randomBytes(32).toString('base64');
}

/** What a secret is for, and the record that it is bound to. */
type Owner = { purpose: string; recordId: string; now: Date };

export function sealSecret(keyring: Keyring, secret: string, { purpose, recordId, now }: Owner): StoredSecret {
  return { sealed: keyring.seal(secret, purpose, recordId), createdAt: now.toISOString(), expiresAt: null };
}

/** The secrets that currently sign, newest first. */
export function liveSecrets(
  keyring: Keyring,
  secrets: readonly StoredSecret[],
  { purpose, recordId, now }: Owner,
): string[] {
  return secrets.filter((secret) => isLive(secret, now)).map(({ sealed }) => keyring.open(sealed, purpose, recordId));
}

function isLive({ expiresAt }: StoredSecret, now: Date): boolean {
  return expiresAt === null || Date.parse(expiresAt) > now.getTime();
}

/**
 * Adds a new secret; earlier ones also sign until the end of the overlap at the latest.
 * @throws Problem CONFLICT while four secrets are live
 */
export function rotated(secrets: readonly StoredSecret[], added: StoredSecret, overlapUntil: Date): StoredSecret[] {
  const now = new Date(added.createdAt);
  const until = overlapUntil.toISOString();
  const before = secrets
    .map((secret) => ({
      ...secret,
      expiresAt: secret.expiresAt !== null && secret.expiresAt < until ? secret.expiresAt : until,
    }))
    .filter((secret) => isLive(secret, now));
  if (before.length >= MAX_LIVE)
    throw problem(
      'CONFLICT',
      `${MAX_LIVE} secrets are already active; wait until one has expired, or rotate without overlap.`,
    );
  return [added, ...before];
}

/**
 * The `webhook-signature` header: one signature per live secret, separated by spaces (Standard Webhooks, "Signature
 * scheme").
 * @param timestamp seconds since 1970, as in `webhook-timestamp`
 */
export function signatures(
  secrets: readonly string[],
  message: { id: string; timestamp: number; body: string },
): string {
  const signed = `${message.id}.${message.timestamp}.${message.body}`;
  return secrets
    .map((secret) => {
      const key = createSecretKey(secret.slice(PREFIX.length), 'base64');
      return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
    })
    .join(' ');
}
