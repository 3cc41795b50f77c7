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

/** Of the certificate's lifetime, the part after which it is replaced. */
const RENEW_AFTER = 2 / 3;
const HOUR_MS = 3_600_000;

/**
 * Keeps the certificate of a domain, its key encrypted. It is served in every process from then on, and replaced when two
 * thirds of its lifetime are over. @returns the end of its lifetime
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
    // Never at once: an authority whose clock is wrong would be asked for ever.
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

/** What a TLS connection to a host is made with; undefined for a host that has no certificate, or serves nothing. */
export async function secureContextFor(system: System, host: string): Promise<SecureContext | undefined> {
  return (await contexts(system, host)) ?? undefined;
}

const contexts = feedCache({
  topics: ['certificate', 'domain'],
  keyOf: (host: string) => host,
  load: loadContext,
  // Each takes some tens of kilobytes; strangers can name any number of hosts.
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
