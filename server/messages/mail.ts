import { readFileSync } from 'node:fs';
import { createTransport } from 'nodemailer';
import type { Config } from '#platform/config.ts';
import type { MessageId } from './messages.ts';
import type { Rendered } from './render.ts';

/** Mail over SMTP; without a mail server the dev inbox is where mails arrive. @returns sends one, and says who took it */
export function mailDelivery({
  smtpUrl,
  mailFrom,
  dkim,
}: Config): (to: string, id: MessageId, body: Rendered) => Promise<string> {
  if (smtpUrl === null) return async () => 'inbox';
  const transport = createTransport({
    url: smtpUrl,
    pool: true,
    maxConnections: 4,
    ...(dkim && {
      dkim: { domainName: dkim.domain, keySelector: dkim.selector, privateKey: readFileSync(dkim.keyFile, 'utf8') },
    }),
  });
  return async (to, id, { subject, text, html }) => {
    // The same Message-ID at every try lets mail servers drop a duplicate.
    await transport.sendMail({
      from: mailFrom,
      to,
      subject,
      text,
      ...(html !== null && { html }),
      messageId: `<${id}@latchkey>`,
      headers: { 'Auto-Submitted': 'auto-generated' },
    });
    return 'smtp';
  };
}
