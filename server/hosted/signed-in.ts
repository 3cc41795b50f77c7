import type { Ctx } from '#platform/ctx.ts';
import { problem } from '#platform/problem.ts';
import { findEntry } from '#sessions';
import type { Flow } from './flow.ts';

/**
 * The context of the person who has just signed in on these pages.
 * @throws Problem SESSION_REVOKED
 */
export async function asSignedIn({ ctx, step: { session } }: Flow): Promise<Ctx> {
  const entry = session && (await findEntry(ctx, session.sessionId));
  if (!entry) throw problem('SESSION_REVOKED');
  return { ...ctx, actor: { kind: 'customer', ...session, entryId: entry.entryId } };
}
