import type { Scope, TxCtx } from '#platform/ctx.ts';
import { addJob } from '#platform/jobs.ts';
import type { System } from '#platform/system.ts';
import type { MessageId } from './messages.ts';
import { isFollowed, type TemplateId } from './templates.ts';

/**
 * Whether a message arrived. `refused`: never, because the address does not exist or takes none from this sender;
 * `unreached`: it did not, and a later one may.
 */
export type Arrival = 'reached' | 'unreached' | 'refused';

declare module '#platform/jobs.ts' {
  interface Jobs {
    message_arrival: { scope: Scope; messageId: MessageId; arrival: Arrival };
  }
}

/** Queues what the sender of a message hears about it, in the transaction that stores it. */
export async function reportArrival(
  tx: TxCtx,
  { id, template }: { id: MessageId; template: TemplateId | 'none' },
  arrival: Arrival,
): Promise<void> {
  if (isFollowed(template)) await addJob(tx, 'message_arrival', { scope: tx.scope, messageId: id, arrival });
}

/** The receiver of a message; undefined if the message was removed. Served by the primary key. */
export function receiverOfMessage(
  { db }: Pick<System, 'db'>,
  scope: Scope,
  id: MessageId,
): Promise<{ channel: 'email' | 'sms'; recipient: string } | undefined> {
  return db
    .selectFrom('messages')
    .select(['channel', 'recipient'])
    .where('workspace_id', '=', scope.workspaceId)
    .where('id', '=', id)
    .executeTakeFirst();
}
