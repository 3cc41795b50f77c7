import { resolveTxt } from 'node:dns/promises';
import { access, constants } from 'node:fs/promises';
import type { Config } from '#platform/config.ts';
import { domainOf } from '#platform/email-address.ts';
import type { Finding } from './doctor.ts';

const MAIL_MS = 10_000;

/** Checks that mail can be handed to the mail server and will be trusted, and that there are carriers for SMS. */
export async function checkMessages(config: Config): Promise<Finding[]> {
  return [await checkMail(config), ...(config.smtpUrl === null ? [] : await checkSender(config)), checkSms(config)];
}

async function checkMail({ smtpUrl }: Config): Promise<Finding> {
  const check = 'mail';
  if (smtpUrl === null) return { check, state: 'ok', found: 'kept in the dev inbox: LATCHKEY_SMTP_URL is not set' };
  const { host } = new URL(smtpUrl);
  const timeouts = { connectionTimeout: MAIL_MS, greetingTimeout: MAIL_MS, socketTimeout: MAIL_MS };
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({ url: smtpUrl, ...timeouts });
  try {
    await transport.verify();
    return { check, state: 'ok', found: `${host} accepts the connection and the sign-in` };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return {
      check,
      state: 'failed',
      found: `${host}: ${reason}`,
      remedy: 'Correct LATCHKEY_SMTP_URL, or ask the operator of the mail server.',
    };
  } finally {
    transport.close();
  }
}

/**
 * Large mailbox providers refuse mail of domains without SPF and DMARC records (RFC 7208, RFC 7489), or with a DKIM key
 * that is not in DNS.
 */
async function checkSender({ mailFrom, dkim }: Config): Promise<Finding[]> {
  const domain = domainOf(mailFrom.address);
  const records = [
    { check: 'SPF', name: domain, begins: 'v=spf1', level: 'warning' as const },
    { check: 'DMARC', name: `_dmarc.${domain}`, begins: 'v=DMARC1', level: 'warning' as const },
    ...(dkim === null
      ? []
      : [{ check: 'DKIM', name: `${dkim.selector}._domainkey.${dkim.domain}`, begins: '', level: 'failed' as const }]),
  ];
  const found = await Promise.all(
    records.map(async ({ check, name, begins, level }): Promise<Finding> => {
      const texts = await resolveTxt(name).catch(() => []);
      if (texts.some((parts) => parts.join('').startsWith(begins))) return { check, state: 'ok', found: name };
      return {
        check,
        state: level,
        found: `no TXT record at ${name}`,
        remedy: `Add one, or mails from ${domain} may be refused as spam.`,
      };
    }),
  );
  if (dkim === null) return found;
  const readable = await access(dkim.keyFile, constants.R_OK).then(
    () => true,
    () => false,
  );
  return readable
    ? found
    : [
        ...found,
        {
          check: 'DKIM',
          state: 'failed',
          found: `${dkim.keyFile} cannot be read`,
          remedy: 'Correct LATCHKEY_MAIL_DKIM.',
        },
      ];
}

function checkSms({ smsUrls, mode }: Config): Finding {
  const check = 'SMS';
  if (smsUrls.length > 0)
    return { check, state: 'ok', found: `carriers: ${smsUrls.map((url) => new URL(url).host).join(', ')}` };
  const found = 'no carrier: LATCHKEY_SMS_URL is not set';
  if (mode === 'development') return { check, state: 'ok', found: `${found}; the dev inbox keeps them` };
  return { check, state: 'warning', found, remedy: 'Set it, or leave sign-in by phone switched off.' };
}
