import { type Static, Type } from 'typebox';
import { findApplication } from '#applications';
import type { TxCtx } from '#platform/ctx.ts';
import { sendToAddresses } from '#webhooks';

const PURPOSE = 'logout';

/** A logout notification and its issuer. */
export const Ended = Type.Object({
  environment: Type.Enum(['test', 'production']),
  issuer: Type.String(),
  clientId: Type.String(),
  subject: Type.String(),
  sid: Type.String(),
});
export type Ended = Static<typeof Ended>;

/**
 * Notifies applications that subscribed to it that sessions ended (OpenID Connect Back-Channel Logout 1.0; OA-11).
 * Notifications are delivered like webhooks, with log and retries, if and only if the transaction commits. Each stands
 * in the log of its application's own project: a session may be used in several.
 */
export async function tellOfLogout(tx: TxCtx, ended: readonly Ended[]): Promise<void> {
  const found = await Promise.all(
    ended.map(async (one) => ({ one, application: await findApplication(tx.system, one.environment, one.clientId) })),
  );
  const messages = found.flatMap(({ one, application }) => {
    const url = application?.backchannelLogoutUri;
    return url ? [{ key: one.clientId, url, type: PURPOSE, body: one, projectId: application.projectId }] : [];
  });
  // In order, so that concurrent transactions can't deadlock.
  for (const projectId of new Set(messages.map((message) => message.projectId).sort())) {
    const inProject: TxCtx = { ...tx, scope: { ...tx.scope, projectId } };
    const own = messages.filter((message) => message.projectId === projectId);
    // biome-ignore lint/performance/noAwaitInLoops: a transaction has one connection
    await sendToAddresses(inProject, PURPOSE, own);
  }
}
