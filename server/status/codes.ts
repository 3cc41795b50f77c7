import { sql } from 'kysely';
import { sendMessage } from '#messages';
import { type Id, newId } from '#platform/ids.ts';
import { codeDigest, isCode, newCode } from '#platform/one-time-code.ts';
import { problem } from '#platform/problem.ts';
import { languagesOf, voiceFor } from './boards.ts';
import { inPage, type OfPage, ofPage, type PageCtx, pageTransaction } from './pages.ts';
import { mailboxDigests } from './subscribers.ts';
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

/**
 * Mails a code that opens the subscription of an address. Does the same work for an address without one.
 * @returns the id of the code
 */
export async function mailCode(ctx: PageCtx, email: string): Promise<string> {
  const code = newCode();
  const expires = new Date(ctx.now.getTime() + CODE_MINUTES * 60_000);
  return pageTransaction(ctx, async (tx) => {
    const row = await tx.db
      .selectFrom('status_subscribers')
      .select(['id', 'address'])
      .where(inPage(tx.page))
      .where('channel', '=', 'email')
      .where('address_digest', 'in', mailboxDigests(email))
      .where('state', '=', 'active')
      .executeTakeFirst();
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
    const variables = { code, minutes: CODE_MINUTES };
    const to = row?.address ?? email;
    const { language } = voiceFor({ locale: tx.trace.languages }, await languagesOf(tx));
    await sendMessage(tx, { template: 'status_code', to, language, variables, expiresAt: expires, suppressed: !row });
    return id;
  });
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
    return row.subscriber_id;
  });
  if (subscriber === null) throw problem('INVALID_CODE');
  return makeToken(ctx.system, 'manage', { environment: ctx.page.key, id: subscriber });
}
