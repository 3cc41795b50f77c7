import type { TxCtx } from '#platform/ctx.ts';
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
