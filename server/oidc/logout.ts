import { type Static, Type } from 'typebox';
import { findApplication } from '#applications';
import type { TxCtx } from '#platform/ctx.ts';
import { putReceiver, sendTo } from '#webhooks';

const PURPOSE = 'logout';

/** What is to be told, and by which issuer. */
export const Ended = Type.Object({
  environment: Type.Enum(['test', 'production']),
  issuer: Type.String({ description: 'Its address.' }),
  clientId: Type.String(),
  subject: Type.String(),
  sid: Type.String(),
});
type Ended = Static<typeof Ended>;

/**
 * Has an application told that a session ended, if it wants to be (OpenID Connect Back-Channel Logout 1.0; OA-11): delivered as
 * webhooks are, with their log and their retries, if and only if the transaction commits.
 */
export async function tellOfLogout(tx: TxCtx, ended: Ended): Promise<void> {
  const application = await findApplication(tx.system, ended.environment, ended.clientId);
  if (!application?.backchannelLogoutUri) return;
  const receiver = { purpose: PURPOSE, key: ended.clientId };
  await putReceiver(tx, receiver, application.backchannelLogoutUri);
  await sendTo(tx, receiver, { type: PURPOSE, body: ended });
}
