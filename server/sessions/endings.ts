import type { Descent, TxCtx } from '#platform/ctx.ts';
import type { ProjectId, SessionId } from '#platform/ids.ts';
import { perSystem, type System } from '#platform/system.ts';

/** Sessions that end, everywhere or in one project. */
export type EndedSessions = { sessionIds: readonly SessionId[]; in: ProjectId | 'every project' };

type Ending = (tx: TxCtx, ended: EndedSessions) => Promise<void>;

const endings = perSystem(() => new Set<Ending>());

/** What else ends with sessions, in the same transaction: told by parts that make things of them. */
export function whenSessionsEnd(system: System, ending: Ending): void {
  endings(system).add(ending);
}

export async function endWithSessions(tx: TxCtx, ended: EndedSessions): Promise<void> {
  for (const ending of endings(tx.system)) {
    // biome-ignore lint/performance/noAwaitInLoops: one connection, one statement after the other
    await ending(tx, ended);
  }
}

/** What is about to be obtained: an entry of a session, through a grant. */
export type Obtained = Descent & { sessionId: SessionId };

type Check = (tx: TxCtx, obtained: Obtained) => Promise<void>;

const checks = perSystem(() => new Set<Check>());

/**
 * Asked before something is obtained through a grant, in the same transaction: by the part that knows grants. It throws for one
 * that is over, and holds one that is alive until the transaction is done, so that whoever ends it next finds what was made of it.
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
