import { sql } from 'kysely';
import { sendMessage } from '#messages';
import { type Id, newId } from '#platform/ids.ts';
import { codeDigest, isCode, newCode } from '#platform/one-time-code.ts';
import { problem } from '#platform/problem.ts';
import { languagesOf, sendsTexts, voiceFor } from './boards.ts';
import { addressDigest, storedDigests } from './digests.ts';
import { mayMessage } from './doors.ts';
import { inPage, type OfPage, ofPage, type PageCtx, type PageTx, pageTransaction } from './pages.ts';
import { admitNumber, noteConfirmed, unsupported } from './texts.ts';
import { makeToken, type SubscriberId } from './tokens.ts';

type StatusCodesTable = OfPage & {
  id: Id<'cod'>;
  subscriber_id: SubscriberId | null;
  code_hash: Buffer;
  attempts_left: number;
  expires_at: Date;
};

declare module '#platform/db.ts' {
  interface Tables {
    status_codes: StatusCodesTable;
  }
}

const CODE_MINUTES = 10;
const CODE_ATTEMPTS = 5;

/** A mailbox or a number that its owner says is subscribed. */
export type Claim = { channel: 'email' | 'sms'; address: string };

/**
 * Sends a code that opens the subscription of an address. Does the same work for an address without one. A text message
 * costs, so it is admitted as a subscription is, and counts with the messages that confirm one.
 * @returns the id of the code
 * @throws Problem UNSUPPORTED_CHANNEL, VALIDATION_FAILED, RATE_LIMIT_EXCEEDED for a number, whether it is subscribed or not
 */
export async function sendCode(ctx: PageCtx, { channel, address }: Claim): Promise<string> {
  const digest = addressDigest(channel, address);
  if (channel === 'sms') await admitText(ctx, address);
  const admitted = await mayMessage(ctx, digest, channel === 'email' ? 'status-codes' : 'status-confirmations');
  const code = newCode();
  const expires = new Date(ctx.now.getTime() + CODE_MINUTES * 60_000);
  return pageTransaction(ctx, async (tx) => {
    const row = await subscriberAt(tx, { channel, address });
    const id = newId('cod', tx.now);
    await tx.db
      .insertInto('status_codes')
      .values({
        ...ofPage(tx.page),
        id,
        subscriber_id: row?.id ?? null,
        code_hash: codeDigest(tx.system, { purpose: 'status-code', record: id, code }),
        attempts_left: CODE_ATTEMPTS,
        expires_at: expires,
      })
      .execute();
    const { language } = voiceFor({ locale: tx.trace.languages }, await languagesOf(tx));
    const message = { to: row?.address ?? address, language, expiresAt: expires, suppressed: !(row && admitted) };
    if (channel === 'email')
      await sendMessage(tx, { template: 'status_code', ...message, variables: { code, minutes: CODE_MINUTES } });
    else await sendMessage(tx, { template: 'status_sms_code', ...message, variables: { code } });
    return id;
  });
}

async function admitText(ctx: PageCtx, phone: string): Promise<void> {
  if (!(await sendsTexts(ctx))) throw unsupported(false);
  await admitNumber(ctx, phone);
}

/** The active subscription of an address. */
function subscriberAt({ db, page }: PageTx, { channel, address }: Claim) {
  return db
    .selectFrom('status_subscribers')
    .select(['id', 'address'])
    .where(inPage(page))
    .where('channel', '=', channel)
    .where('address_digest', 'in', storedDigests(channel, address))
    .where('state', '=', 'active')
    .executeTakeFirst();
}

/**
 * Opens a subscription with a code, which works once.
 * @returns a link that works for 15 minutes
 * @throws Problem INVALID_CODE
 */
export async function openWithCode(ctx: PageCtx, id: string, code: string): Promise<string> {
  const subscriber = await pageTransaction(ctx, async (tx) => {
    const row = await tx.db
      .updateTable('status_codes')
      .set({ attempts_left: sql`attempts_left - 1` })
      .where(inPage(tx.page))
      .where(sql<boolean>`id = ${id}`)
      .where('attempts_left', '>', 0)
      .where('expires_at', '>', tx.now)
      .returning(['subscriber_id', 'code_hash'])
      .executeTakeFirst();
    if (!row?.subscriber_id || !isCode(tx.system, { purpose: 'status-code', record: id, code }, row.code_hash))
      return null;
    await tx.db.deleteFrom('status_codes').where(inPage(tx.page)).where(sql<boolean>`id = ${id}`).execute();
    await noteEntered(tx, row.subscriber_id);
    return row.subscriber_id;
  });
  if (subscriber === null) throw problem('INVALID_CODE');
  return makeToken(ctx.system, 'manage', { environment: ctx.page.key, id: subscriber });
}

/** A number whose code is entered counts as confirmed. */
async function noteEntered(tx: PageTx, id: SubscriberId): Promise<void> {
  const row = await tx.db
    .selectFrom('status_subscribers')
    .select('address')
    .where(inPage(tx.page))
    .where('id', '=', id)
    .where('channel', '=', 'sms')
    .where('state', '=', 'active')
    .executeTakeFirst();
  if (row) await noteConfirmed(tx, row.address);
}
