import { readFileSync } from 'node:fs';
import { createTransport } from 'nodemailer';
import type { Config } from '#platform/config.ts';
import { isDeliverable } from '#platform/email-address.ts';
import type { MessageId } from './messages.ts';
import type { Rendered } from './render.ts';

const CONNECT_MS = 10_000;
/** Some servers look into a mail before they take it; given up too early, it would be sent twice. */
const SILENCE_MS = 60_000;

type Mailer = {
  /** Sends one mail. @returns who took it */
  send: (to: string, id: MessageId, body: Rendered) => Promise<string>;
  /** Closes the connections to the mail server, which a pool keeps open for the next mail. */
  close: () => void;
};

/** Mail over SMTP; without a mail server the dev inbox is where mails arrive. */
export function openMailer({ smtpUrl, mailFrom, dkim }: Config): Mailer {
  if (smtpUrl === null) return { send: async () => 'inbox', close: () => undefined };
  const transport = createTransport({
    url: smtpUrl,
    pool: true,
    maxConnections: 4,
    // A server that says nothing holds one of the workers, which every other job waits for.
    dnsTimeout: CONNECT_MS,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    ...(dkim && {
      dkim: { domainName: dkim.domain, keySelector: dkim.selector, privateKey: readFileSync(dkim.keyFile, 'utf8') },
    }),
  });
  const send: Mailer['send'] = async (to, id, { subject, text, html, unsubscribe }) => {
    // The same Message-ID at every try lets mail servers drop a duplicate.
    const receiver = receiverOf(to);
    await transport.sendMail({
      from: mailFrom,
      to: receiver,
      // Said apart from the headers, so that no reading of them can add a receiver.
      envelope: { from: mailFrom, to: [receiver] },
      subject: inOneLine(subject),
      text,
      ...(html !== null && { html }),
      messageId: `<${id}@latchkey>`,
      headers: {
        'Auto-Submitted': 'auto-generated',
        ...(unsubscribe !== undefined && {
          'List-Unsubscribe': `<${unsubscribe}>`,
          'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
        }),
      },
    });
    return 'smtp';
  };
  return { send, close: () => transport.close() };
}

/** Nothing that is sent may be read as more, or as another, than the one mailbox. */
class NoMailbox extends Error {
  override readonly name = 'NoMailbox';
}

/** The receiver as a structure: never as text that somebody parses as a header (RFC 5322 §3.4). @throws NoMailbox */
function receiverOf(address: string): { name: string; address: string } {
  if (!isDeliverable(address)) throw new NoMailbox('The address is not that of one mailbox.');
  return { name: '', address };
}

function inOneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
}

/** RFC 5321 §4.2.1: a permanent answer to the receiver's address. That is no fault of ours, and another try is of no use. */
export function isRefusal(error: unknown): error is Error {
  if (error instanceof NoMailbox) return true;
  if (!(error instanceof Error) || !('code' in error && error.code === 'EENVELOPE')) return false;
  return 'responseCode' in error && Number(error.responseCode) >= 550 && Number(error.responseCode) < 560;
}

/** What a mail server said of one receiver, for now or for good (RFC 5321 §3.3): other mails are not touched by it. */
export function isAboutReceiver(error: unknown): boolean {
  return error instanceof Error && 'command' in error && error.command === 'RCPT TO';
}
