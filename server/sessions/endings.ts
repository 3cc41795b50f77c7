import type { TxCtx } from '#platform/ctx.ts';
import type { EndedSessions, EndedUser, Obtaining } from '#platform/part.ts';

export async function endWithSessions(tx: TxCtx, ended: EndedSessions): Promise<void> {
  for (const { sessions } of tx.system.parts) {
    // biome-ignore lint/performance/noAwaitInLoops: one connection, one statement after the other
    await sessions?.ended?.(tx, ended);
  }
}

export async function endWithUser(tx: TxCtx, ended: EndedUser): Promise<void> {
  for (const { sessions } of tx.system.parts) {
    // biome-ignore lint/performance/noAwaitInLoops: one connection, one statement after the other
    await sessions?.userEnded?.(tx, ended);
  }
}

export async function checkDescent(tx: TxCtx, obtaining: Obtaining): Promise<void> {
  for (const { sessions } of tx.system.parts) {
    // biome-ignore lint/performance/noAwaitInLoops: one connection, one statement after the other
    await sessions?.obtaining?.(tx, obtaining);
  }
}
