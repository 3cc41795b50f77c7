import { countCode, passSmsGuard, reachOfSms, segmentsOf } from '#billing';
import { brandOf } from '#branding';
import { emit } from '#events';
import { countMessages, previewMessage, sendMessage } from '#messages';
import { limitKey, limits } from '#platform/limits.ts';
import { Problem, problem, problemWithRetry } from '#platform/problem.ts';
import type { SystemInTx } from '#platform/system.ts';
import type { Language } from '#settings';
import { sendsTexts } from './boards.ts';
import { inPage, type PageCtx, type PageTx } from './pages.ts';
import { newShortLink, SUBSCRIPTION_SECRET, shortLink } from './short-links.ts';
import { channelsOf, type SubscriberRow } from './subscribers.ts';
import type { SubscriberId } from './tokens.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The requests of one page, so that visitors of it cannot use up what the project has for sign-ins. */
const requests = limits({ 'status-texts': { points: 60, seconds: 3_600 } });

export function unsupported(texts: boolean): Problem {
  return problem('UNSUPPORTED_CHANNEL', `Known channels of this page: ${channelsOf(texts).join(', ')}.`);
}

/**
 * Whether a visitor may ask for a text message to a number: decided by page, source and number, never by a subscription.
 * @throws Problem UNSUPPORTED_CHANNEL while no text messages are sent, VALIDATION_FAILED for an excluded destination,
 *   RATE_LIMIT_EXCEEDED
 */
export async function admitNumber(ctx: PageCtx, phone: string): Promise<void> {
  try {
    await passSmsGuard(ctx, phone);
  } catch (error) {
    // What the project has paid for is nothing that visitors are told.
    const code = error instanceof Problem ? error.code : null;
    throw code === 'ADDON_REQUIRED' || code === 'PLAN_LIMIT_EXCEEDED' ? unsupported(false) : error;
  }
  const taken = await requests(ctx.system)['status-texts'].take(ctx, limitKey(ctx.page.key));
  if (!taken.allowed) throw problemWithRetry('RATE_LIMIT_EXCEEDED', taken.retryAfter);
}

/** Texts the link that confirms a subscription. */
export async function textConfirmation(
  tx: PageTx,
  row: SubscriberRow,
  { to, language, suppressed }: { to: string; language: Language; suppressed: boolean },
): Promise<void> {
  await sendMessage(tx, {
    template: 'status_sms_confirm',
    to,
    variables: { link: shortLink(tx.system, await endOf(tx, row)) },
    language,
    expiresAt: new Date(tx.now.getTime() + DAY_MS),
    suppressed,
  });
}

/** The end of the short link of a subscription, which keeps it until it ends. */
async function endOf(tx: PageTx, { id, secret_sealed }: SubscriberRow): Promise<string> {
  if (secret_sealed !== null) return openEnd(tx.system, { id, secret_sealed });
  const { end, sealed, hash } = newShortLink(tx.system, id);
  await tx.db
    .updateTable('status_subscribers')
    .set({ secret_sealed: sealed, link_hash: hash })
    .where(inPage(tx.page))
    .where('id', '=', id)
    .execute();
  return end;
}

function openEnd({ keyring }: Pick<SystemInTx, 'keyring'>, row: { id: SubscriberId; secret_sealed: string }): string {
  return keyring.open(row.secret_sealed, SUBSCRIPTION_SECRET, row.id);
}

/** Counts a confirmed number for the guard against pumping, whose numbers confirm nothing. */
export function noteConfirmed(tx: PageTx, phone: string): Promise<void> {
  return countCode(tx, phone, 'used');
}

/** What a text message says about an incident or maintenance. */
type NoticeText = { title: string; phase: string };
/** Who gets it, and what it says in their language. */
export type TextRecipient = Pick<SubscriberRow, 'id' | 'address' | 'secret_sealed'> &
  NoticeText & { language: Language };

/**
 * Texts a notice. A number gets as many an hour as the rules of the project allow, and none once the add-on has ended, its
 * cap is reached or the page offers none; those that get none are counted in an event.
 */
export async function textNotice(
  tx: PageTx,
  recipients: readonly TextRecipient[],
  { subjectId, lanes }: { subjectId: string; lanes: number },
): Promise<void> {
  if (recipients.length === 0) return;
  // Notices of one page are texted one after the other, so that the limit of a number holds.
  await tx.db.selectFrom('status_boards').select('environment').where(inPage(tx.page)).forUpdate().execute();
  const reach = (await sendsTexts(tx)) ? await reachOfSms(tx) : null;
  const since = new Date(tx.now.getTime() - HOUR_MS);
  const to = recipients.map(({ address }) => address);
  const recent = await countMessages(tx, { template: 'status_sms_notice', to, since });
  const shorten = fitting(tx);
  let left = 0;
  for (const [index, recipient] of recipients.entries()) {
    const { address } = recipient;
    const admitted = reach?.admits(address) === true && (recent.get(address) ?? 0) < reach.perNumber;
    // biome-ignore lint/performance/noAwaitInLoops: one after the other, on one connection
    const sent = admitted && (await sendOne(tx, recipient, { shorten, lane: index % lanes }));
    if (!sent) left += 1;
  }
  if (left > 0) await emit(tx, 'status.texts.left', { subjectId, count: left });
}

type Sending = { shorten: ReturnType<typeof fitting>; lane: number };

/** @returns false if the add-on has ended or its cap is reached */
async function sendOne(tx: PageTx, recipient: TextRecipient, { shorten, lane }: Sending): Promise<boolean> {
  const { id, secret_sealed, address: to, language } = recipient;
  if (secret_sealed === null) return false;
  const link = shortLink(tx.system, openEnd(tx.system, { id, secret_sealed }));
  const variables = { ...(await shorten(recipient, language)), link };
  try {
    await sendMessage(tx, { template: 'status_sms_notice', to, language, variables, lane });
    return true;
  } catch (error) {
    if (error instanceof Problem && (error.code === 'ADDON_REQUIRED' || error.code === 'PLAN_LIMIT_EXCEEDED'))
      return false;
    throw error;
  }
}

/** The fewest characters that a title is shortened to. */
const SHORTEST = 8;
/** As long as every link is. */
const ANY_END = '0'.repeat(13);

/** Shortens titles until the message fits into one segment, in each language once. */
export function fitting(ctx: PageCtx | PageTx): (text: NoticeText, language: Language) => Promise<NoticeText> {
  const known = new Map<string, NoticeText>();
  return async (text, language) => {
    const key = `${language}\n${text.phase}\n${text.title}`;
    const fitted = known.get(key) ?? (await shortened(ctx, text, language));
    known.set(key, fitted);
    return fitted;
  };
}

async function shortened(ctx: PageCtx | PageTx, text: NoticeText, language: Language): Promise<NoticeText> {
  const phase = plainLatin(text.phase);
  let title = plainLatin(text.title);
  // biome-ignore lint/performance/noAwaitInLoops: each try is shorter than the one before
  while (title.length > SHORTEST && segmentsOf(await noticeText(ctx, { title, phase }, language)).segments > 1) {
    const shorter = [...title.replace(/\.\.\.$/, '')].slice(0, -Math.max(3, Math.round(title.length / 12)));
    title = `${shorter.join('').trimEnd()}...`;
  }
  return { title, phase };
}

/** The text of a notice, with a link as long as every other. */
export async function noticeText(ctx: PageCtx | PageTx, text: NoticeText, locale: Language): Promise<string> {
  const variables = { ...text, link: shortLink(ctx.system, ANY_END) };
  const brand = await brandOf(ctx.system, ctx.scope, null);
  return (await previewMessage(ctx, { template: 'status_sms_notice', locale, variables }, {}, brand)).text;
}

/** The characters of the GSM 7-bit alphabet that titles are likely to have (3GPP TS 23.038). */
const ALPHABET = /[ -~\nàèéìòùÄÅÆÇÉÑÖØÜßäåæñöøü¡¿£¥§]/;
const SIGNS: Readonly<Record<string, string>> = {
  '’': "'",
  '‘': "'",
  '“': '"',
  '”': '"',
  '„': '"',
  '–': '-',
  '—': '-',
  '…': '...',
};

/** A text without the accents and signs that would more than halve the room in a message of the Latin alphabet. */
function plainLatin(text: string): string {
  return [...text]
    .map((letter) => {
      if (ALPHABET.test(letter)) return letter;
      const [base = ''] = letter.normalize('NFD');
      return SIGNS[letter] ?? (/[A-Za-z]/.test(base) ? base : letter);
    })
    .join('');
}
