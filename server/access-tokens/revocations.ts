import { sql } from 'kysely';
import type { Environment, TxCtx } from '#platform/ctx.ts';
import { announce } from '#platform/feed.ts';
import type { WorkspaceId } from '#platform/ids.ts';
import { realmColumns } from '#platform/scoped.ts';
import { perSystem, type System } from '#platform/system.ts';

type RevocationsTable = {
  workspace_id: WorkspaceId;
  environment: Environment;
  subject: string;
  revoked_at: Date;
  expires_at: Date;
};

declare module '#platform/db.ts' {
  interface Tables {
    revocations: RevocationsTable;
  }
}

const TOPIC = 'revoked';
/**
 * The longest life of an access token (settings and management tokens allow an hour at most), plus a minute of clock
 * skew.
 */
const LONGEST_TOKEN_MS = 61 * 60_000;

/**
 * Ends access tokens in every process, including a token that is being issued concurrently by a request that still found
 * its session alive.
 * @param subjects ids of sessions, scope entries or applications
 * @param upTo tokens that are issued later stay valid
 */
export async function revokeTokens(
  tx: TxCtx,
  subjects: readonly string[],
  upTo = new Date(tx.now.getTime() + LONGEST_TOKEN_MS),
): Promise<void> {
  if (subjects.length === 0) return;
  const expires = new Date(tx.now.getTime() + LONGEST_TOKEN_MS);
  await tx.db
    .insertInto('revocations')
    .values(
      subjects.map((subject) => ({
        ...realmColumns(tx),
        subject,
        revoked_at: upTo,
        expires_at: expires,
      })),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'environment', 'subject'])
        .doUpdateSet({ revoked_at: upTo, expires_at: expires }),
    )
    .execute();
  await Promise.all(subjects.map((subject) => announce(tx, { topic: TOPIC, key: `${subject} ${upTo.getTime()}` })));
}

/** Expired revocations are dropped after this many additions. */
const FORGET_EVERY = 10_000;

/** The revocations known to one process whose tokens may not have expired. */
class RevocationSet {
  readonly #system: System;
  /** Id of a session, scope entry or application → the instant in milliseconds up to which its tokens are revoked. */
  readonly #revoked = new Map<string, number>();
  #loaded = false;

  constructor(system: System) {
    this.#system = system;
    system.feed
      .subscribe({
        replay: () => this.#replay(),
        onChange: ({ topic, key }) => {
          if (topic !== TOPIC) return;
          const [subject, instant] = key.split(' ');
          if (subject && instant) this.#hear(subject, Number(instant));
        },
      })
      .catch((error: unknown) => system.log.error({ err: error }, 'revocations not loaded'));
  }

  /**
   * Whether a token of these subjects is revoked. Served from memory while the change feed is live; otherwise, and
   * until the feed has caught up, from the database (fails closed).
   */
  isRevoked(
    subjects: readonly string[],
    environment: Environment,
    token: { workspaceId: WorkspaceId; iat: number },
  ): boolean | Promise<boolean> {
    if (!this.#system.feed.live || !this.#loaded)
      return isRevokedInDatabase(this.#system, subjects, environment, token);
    return subjects.some((subject) => {
      const instant = this.#revoked.get(subject);
      return instant !== undefined && token.iat * 1000 <= instant;
    });
  }

  #hear(subject: string, instant: number): void {
    this.#revoked.set(subject, instant);
    if (this.#revoked.size % FORGET_EVERY === 0) this.#dropDead();
  }

  async #replay(): Promise<void> {
    const { rows } = await sql<{
      subject: string;
      revoked_at: Date;
    }>`select subject, revoked_at from revocations where expires_at > ${this.#system.clock.now()} /* all workspaces */`.execute(
      this.#system.lookups,
    );
    // Keep what arrived during the read: remove only what has expired.
    for (const { subject, revoked_at } of rows)
      this.#revoked.set(subject, Math.max(revoked_at.getTime(), this.#revoked.get(subject) ?? 0));
    this.#dropDead();
    this.#loaded = true;
  }

  #dropDead(): void {
    const oldest = this.#system.clock.now().getTime() - LONGEST_TOKEN_MS;
    for (const [subject, instant] of this.#revoked) if (instant < oldest) this.#revoked.delete(subject);
  }
}

export const revocations = perSystem((system) => new RevocationSet(system));

async function isRevokedInDatabase(
  system: System,
  subjects: readonly string[],
  environment: Environment,
  token: { workspaceId: WorkspaceId; iat: number },
): Promise<boolean> {
  const row = await system.lookups
    .selectFrom('revocations')
    .select('subject')
    .where('workspace_id', '=', token.workspaceId)
    .where('environment', '=', environment)
    .where('subject', '=', sql<string>`any(${[...subjects]})`)
    .where('revoked_at', '>=', new Date(token.iat * 1000))
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
