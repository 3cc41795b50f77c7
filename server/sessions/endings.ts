import type { Descent, TxCtx } from '#platform/ctx.ts';
import type { ProjectId, SessionId, UserId } from '#platform/ids.ts';
import { perSystem, type System } from '#platform/system.ts';

type Ended = { sessionIds: readonly SessionId[]; in: ProjectId | 'every project' };
/** A user whose sessions all end, except perhaps the one that asks for it. */
type EndedUser = { userId: UserId; in: ProjectId | 'every project'; reason: string };
type Obtaining = Descent & { sessionId: SessionId };

/** The hooks of a part that derives something from sessions; each runs in the transaction of the change. */
type SessionSteps = {
  /** Called when sessions end, in every project or in one. */
  ended: (tx: TxCtx, ended: Ended) => Promise<void>;
  /** Called when all sessions of a user end, also if the user has none; for what belongs to sessions of other users. */
  userEnded?: (tx: TxCtx, ended: EndedUser) => Promise<unknown>;
  /**
   * Called before an entry of a session is obtained through a grant; for the part that owns grants. Throws for a grant
   * that has ended, and locks a live one until the transaction ends, so that ending the grant also ends what was
   * obtained through it.
   */
  obtaining?: (tx: TxCtx, obtaining: Obtaining) => Promise<void>;
};

const participants = perSystem(() => new Set<SessionSteps>());

/** Registers hooks that run when sessions end, and before an entry is obtained through a grant. */
export function joinSessions(system: System, steps: SessionSteps): void {
  participants(system).add(steps);
}

export async function endWithSessions(tx: TxCtx, ended: Ended): Promise<void> {
  for (const steps of participants(tx.system)) {
    // biome-ignore lint/performance/noAwaitInLoops: one connection, one statement after the other
    await steps.ended(tx, ended);
  }
}

export async function endWithUser(tx: TxCtx, ended: EndedUser): Promise<void> {
  for (const steps of participants(tx.system)) {
    // biome-ignore lint/performance/noAwaitInLoops: one connection, one statement after the other
    await steps.userEnded?.(tx, ended);
  }
}

export async function checkDescent(tx: TxCtx, obtaining: Obtaining): Promise<void> {
  for (const steps of participants(tx.system)) {
    // biome-ignore lint/performance/noAwaitInLoops: one connection, one statement after the other
    await steps.obtaining?.(tx, obtaining);
  }
}
