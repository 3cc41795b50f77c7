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
 * Notifications are delivered like webhooks, with log and retries, if and only if the transaction commits.
 */
export async function tellOfLogout(tx: TxCtx, ended: readonly Ended[]): Promise<void> {
  const messages = await Promise.all(
    ended.map(async (one) => {
      const application = await findApplication(tx.system, one.environment, one.clientId);
      const url = application?.backchannelLogoutUri;
      return url ? [{ key: one.clientId, url, type: PURPOSE, body: one }] : [];
    }),
  );
  await sendToAddresses(tx, PURPOSE, messages.flat());
}
