import { type Static, Type } from 'typebox';
import { findApplication } from '#applications';
import type { TxCtx } from '#platform/ctx.ts';
import { sendToAddresses } from '#webhooks';

const PURPOSE = 'logout';

/** What is to be told, and by which issuer. */
export const Ended = Type.Object({
  environment: Type.Enum(['test', 'production']),
  issuer: Type.String(),
  clientId: Type.String(),
  subject: Type.String(),
  sid: Type.String(),
});
export type Ended = Static<typeof Ended>;

/**
 * Has applications told that sessions ended, those that want to be (OpenID Connect Back-Channel Logout 1.0; OA-11): delivered as
 * webhooks are, with their log and their retries, if and only if the transaction commits.
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
