import { X509Certificate } from 'node:crypto';
import { createSecureContext, type SecureContext } from 'node:tls';
import { type Generated, sql } from 'kysely';
import type { TxCtx } from '#platform/ctx.ts';
import { announce } from '#platform/feed.ts';
import { feedCache } from '#platform/feed-cache.ts';
import type { WorkspaceId } from '#platform/ids.ts';
import type { System } from '#platform/system.ts';
import type { DomainId } from './domains.ts';

type DomainCertificatesTable = {
  workspace_id: WorkspaceId;
  domain_id: DomainId;
  key_sealed: string | null;
  chain: string | null;
  not_after: Date | null;
  fault: string | null;
  failed_orders: Generated<number>;
  order_at: Date;
};

declare module '#platform/db.ts' {
  interface Tables {
    domain_certificates: DomainCertificatesTable;
  }
}

const SEALED = 'domain-certificate';

/** A private key and the certificates from the host's to the last before the root, as PEM. */
export type Certificate = { key: string; chain: string };

/** The share of a certificate's lifetime after which it is renewed. */
const RENEW_AFTER = 2 / 3;
const HOUR_MS = 3_600_000;

/**
 * Stores the certificate of a domain, with its key encrypted. Every process serves it from then on. It is renewed after
 * two thirds of its lifetime.
 * @returns the end of its lifetime
 */
export async function keepCertificate(
  tx: TxCtx,
  { id, host }: { id: DomainId; host: string },
  { key, chain }: Certificate,
): Promise<Date> {
  const { validFromDate, validToDate } = new X509Certificate(chain);
  const lifetime = validToDate.getTime() - validFromDate.getTime();
  const kept = {
    key_sealed: tx.system.keyring.seal(key, SEALED, id),
    chain,
    not_after: validToDate,
    fault: null,
    failed_orders: 0,
    // Never immediately: an authority with a wrong clock would be called in a loop.
    order_at: new Date(Math.max(validFromDate.getTime() + lifetime * RENEW_AFTER, tx.now.getTime() + HOUR_MS)),
  };
  await tx.db
    .insertInto('domain_certificates')
    .values({ workspace_id: tx.scope.workspaceId, domain_id: id, ...kept })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'domain_id']).doUpdateSet(kept))
    .execute();
  await announce(tx, { topic: 'certificate', key: host });
  return validToDate;
}

/** The TLS context for a host; undefined for a host without a certificate or binding. */
export async function secureContextFor(system: System, host: string): Promise<SecureContext | undefined> {
  return (await contexts(system, host)) ?? undefined;
}

const contexts = feedCache({
  topics: ['certificate', 'domain'],
  keyOf: (host: string) => host,
  load: loadContext,
  // Each takes tens of kilobytes, and callers can send any number of hosts.
  max: 2_000,
});

/** Served by domains_verified and the primary key. */
async function loadContext({ lookups, keyring }: System, host: string): Promise<SecureContext | null> {
  const { rows } = await sql<{ domain_id: DomainId; key_sealed: string; chain: string }>`
    select c.domain_id, c.key_sealed, c.chain from domains d
    join domain_certificates c on c.workspace_id = d.workspace_id and c.domain_id = d.id
    where d.host = ${host} and d.status = 'verified' and c.chain is not null /* all workspaces */`.execute(lookups);
  const [row] = rows;
  if (!row) return null;
  const key = keyring.open(row.key_sealed, SEALED, row.domain_id);
  return createSecureContext({ key, cert: row.chain, minVersion: 'TLSv1.2' });
}
