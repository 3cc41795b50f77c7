import type { Source } from './sources.ts';

/**
 * The files that write with one statement of the process's own connection, which is a transaction by itself, and why. Nothing a
 * customer sees changes by them, so no event is due; everything else writes in a transaction.
 */
export const SINGLE_WRITES: Readonly<Record<string, string>> = {
  'audit/signing.ts': 'the key of the audit log, made by whichever process is first',
  'auth/flows.ts': 'clean-up',
  'auth/proof-of-work.ts': 'a spent proof, kept whatever becomes of the request',
  'billing/conversions.ts': 'clean-up',
  'billing/payment-reports.ts': 'what the payment provider has been told, after it was',
  'billing/stripe-notices.ts': 'clean-up',
  'identity/passkey-challenges.ts': 'clean-up',
  'identity/remembered-devices.ts': 'clean-up',
  'members/imports.ts': 'clean-up',
  'messages/messages.task.ts': 'what became of a message, after the carrier answered',
  'messages/messages.ts': 'clean-up',
  'messages/texts.ts': 'what became of a text message, after the carrier answered',
  'oidc/adapter.ts': 'the storage of the OpenID provider, which knows no transactions',
  'platform/http-once.ts': 'clean-up',
  'platform/limits.ts': 'counted limits, kept whatever becomes of the request',
  'sessions/refresh-tokens.ts': 'the rotation, one conditional statement',
  'sessions/revocations.ts': 'clean-up',
  'status/components.ts': 'measurements',
  'status/heartbeat.ts': 'signs of life of workers',
  'status/signals.ts': 'counted requests',
  'status/subscriptions.ts': 'clean-up',
  'status/uptime.ts': 'measurements',
  'tenancy/acme.ts': 'certificates and challenges, while the authority answers',
  'tenancy/domain-checks.ts': 'domains that are due for a check, claimed by one worker',
  'webhooks/health.ts': 'figures of endpoints, written behind deliveries',
  'webhooks/queue.ts': 'claims of deliveries',
  'webhooks/retention.ts': 'clean-up',
};

const WRITES = [
  /system\s*\.db\s*\.(?:insertInto|updateTable|deleteFrom)\(/,
  /sql(?:<[^`]*?>)?`[^`]*\b(?:insert into|update|delete from)\b[^`]*`\s*\.execute\(\s*[\w.]*system\.(?:db|pool)/i,
  /prepared(?:<[^(]*>)?\(\s*'[^']*',\s*`[^`]*\b(?:insert into|update|delete from)\b/i,
];

/** Writing past `ctx.db`, which can only read, is for the files that say why. */
export function writesInTransactions(allowed: Readonly<Record<string, string>>) {
  return ({ path, text }: Source): string[] => {
    const isProduct = !/^(?:tests|migrations|cli)\/|\.test\.ts$/.test(path);
    return isProduct && allowed[path] === undefined && WRITES.some((pattern) => pattern.test(text))
      ? [`${path} writes outside of a transaction`]
      : [];
  };
}
