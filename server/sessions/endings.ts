import type { Descent, TxCtx } from '#platform/ctx.ts';
import type { ProjectId, SessionId } from '#platform/ids.ts';
import { perSystem, type System } from '#platform/system.ts';

/** Sessions that ended, in every project or in one. */
export type EndedSessions = { sessionIds: readonly SessionId[]; in: ProjectId | 'every project' };

type Ending = (tx: TxCtx, ended: EndedSessions) => Promise<void>;

const endings = perSystem(() => new Set<Ending>());

/**
 * Registers what else ends with sessions, in the same transaction; called by parts that derive something from sessions.
 */
export function whenSessionsEnd(system: System, ending: Ending): void {
  endings(system).add(ending);
}

export async function endWithSessions(tx: TxCtx, ended: EndedSessions): Promise<void> {
  for (const ending of endings(tx.system)) {
    // biome-ignore lint/performance/noAwaitInLoops: one connection, one statement after the other
    await ending(tx, ended);
  }
}

/** An entry of a session that is about to be obtained through a grant. */
export type Obtained = Descent & { sessionId: SessionId };

type Check = (tx: TxCtx, obtained: Obtained) => Promise<void>;

const checks = perSystem(() => new Set<Check>());

/**
 * Registers the check that runs before something is obtained through a grant, in the same transaction; called by the
 * part that owns grants. The check throws for a grant that has ended, and locks a live one until the transaction ends,
 * so that ending the grant also ends what was obtained through it.
 */
export function whenDescending(system: System, check: Check): void {
  checks(system).add(check);
}

export async function checkDescent(tx: TxCtx, obtained: Obtained): Promise<void> {
  for (const check of checks(tx.system)) {
    // biome-ignore lint/performance/noAwaitInLoops: one connection, one statement after the other
    await check(tx, obtained);
  }
}
