import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { SendMailOptions } from 'nodemailer';
import { isDeliverable } from '#platform/email-address.ts';
import type { SystemInTx } from '#platform/system.ts';
import { type SpanDescription, step } from '#platform/trace.ts';
import type { MessageId } from './messages.ts';
import type { Rendered } from './render.ts';

const require = createRequire(import.meta.url);

/** Loaded only where there is a mail server. */
const mailLibrary = (): typeof import('nodemailer') => require('nodemailer');

const CONNECT_MS = 10_000;
/** Some servers scan a mail before they accept it; giving up too early would send it twice. Milliseconds. */
const SILENCE_MS = 60_000;

type Mailer = {
  /**
   * Sends one mail.
   * @returns the name of the server that accepted it
   */
  send: (to: string, id: MessageId, body: Rendered) => Promise<string>;
  /** Closes the pooled connections to the mail server. */
  close: () => void;
};

/** Mail over SMTP. Without a mail server, mails stay in the dev inbox. */
export function openMailer({ config, tracer }: Pick<SystemInTx, 'config' | 'tracer'>): Mailer {
  const { smtpUrl, mailFrom, dkim } = config;
  if (smtpUrl === null) return { send: async () => 'inbox', close: () => undefined };
  const transport = mailLibrary().createTransport({
    url: smtpUrl,
    pool: true,
    maxConnections: 4,
    // A server that does not respond blocks a worker, which all other jobs need.
    dnsTimeout: CONNECT_MS,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    ...(dkim && {
      dkim: { domainName: dkim.domain, keySelector: dkim.selector, privateKey: readFileSync(dkim.keyFile, 'utf8') },
    }),
  });
  const span: SpanDescription = {
    name: 'send mail',
    kind: 'client',
    attributes: { 'server.address': new URL(smtpUrl).hostname },
  };
  const send: Mailer['send'] = async (to, id, { subject, text, html, unsubscribe }) => {
    // The same Message-ID at every attempt lets mail servers drop a duplicate.
    const receiver = receiverOf(to);
    const mail: SendMailOptions = {
      from: mailFrom,
      to: receiver,
      // Set separately, so that no interpretation of the headers can add a receiver.
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
    };
    await step(
      tracer,
      () => span,
      () => transport.sendMail(mail),
    );
    return 'smtp';
  };
  return { send, close: () => transport.close() };
}

/** The address is not a single mailbox, so no mail is sent to it. */
class NoMailbox extends Error {
  override readonly name = 'NoMailbox';
}

/**
 * The receiver as a structure, never as text that is parsed as a header (RFC 5322 §3.4).
 * @throws NoMailbox
 */
function receiverOf(address: string): { name: string; address: string } {
  if (!isDeliverable(address)) throw new NoMailbox('The address is not that of one mailbox.');
  return { name: '', address };
}

function inOneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
}

/**
 * True for a permanent rejection of the receiver's address (RFC 5321 §4.2.1): the fault is not the server's, and a
 * retry is useless.
 */
export function isRefusal(error: unknown): error is Error {
  if (error instanceof NoMailbox) return true;
  if (!(error instanceof Error) || !('code' in error && error.code === 'EENVELOPE')) return false;
  return 'responseCode' in error && Number(error.responseCode) >= 550 && Number(error.responseCode) < 560;
}

/** True for a temporary or permanent error about one receiver only (RFC 5321 §3.3): other mails are not affected. */
export function isAboutReceiver(error: unknown): boolean {
  return error instanceof Error && 'command' in error && error.command === 'RCPT TO';
}
