import type { Client } from 'acme-client';
import { sql } from 'kysely';
import { emit } from '#events';
import type { Config } from '#platform/config.ts';
import { type Environment, systemCtx, type TxCtx, transaction } from '#platform/ctx.ts';
import type { ProjectId, WorkspaceId } from '#platform/ids.ts';
import { addJob } from '#platform/jobs.ts';
import { inWorkspace } from '#platform/scoped.ts';
import { singleWrite } from '#platform/single-writes.ts';
import type { System } from '#platform/system.ts';
import { type Certificate, keepCertificate } from './certificates.ts';
import type { DomainId } from './domains.ts';

declare module '#platform/jobs.ts' {
  interface Jobs {
    order_certificates: Record<string, never>;
  }
}

type AcmeAccountsTable = { directory: string; key_sealed: string; created_at: Date };
type AcmeChallengesTable = { token: string; key_authorization: string; expires_at: Date };

declare module '#platform/db.ts' {
  interface Tables {
    acme_accounts: AcmeAccountsTable;
    acme_challenges: AcmeChallengesTable;
  }
}

type Acme = NonNullable<Config['acme']>;

/** A domain whose certificate is due. */
type Due = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  id: DomainId;
  host: string;
  failed_orders: number;
};

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** An order that takes longer than this belongs to a process that died. Milliseconds. */
const ORDER_MS = 15 * MINUTE_MS;
const LONGEST_WAIT_MS = 24 * HOUR_MS;
const BATCH = 5;

/** Loaded at the first order: it takes five megabytes, and most installations order no certificates. */
async function loadAcme() {
  const acme = await import('acme-client');
  // Without a timeout, an authority that does not respond would block all other certificates forever.
  acme.axios.defaults.timeout = 30_000;
  return acme;
}

/** Queues the order of certificates for when this commits, if the installation orders any. */
export async function wantCertificates(tx: TxCtx): Promise<void> {
  if (tx.system.config.acme) await addJob(tx, 'order_certificates', {}, { key: 'order_certificates' });
}

/**
 * Orders due certificates: for bound domains without one, and for those near the end of their lifetime (RFC 8555). A
 * failed order is retried after an hour, then two, up to a day. Runs as a job, in any number of processes.
 */
export async function orderCertificates(system: System): Promise<void> {
  const { acme } = system.config;
  if (!acme) return;
  for (;;) {
    // biome-ignore lint/performance/noAwaitInLoops: one batch after the other
    const due = await takeDue(system);
    if (due.length === 0) return;
    const client = await clientOf(system, acme);
    for (const domain of due) {
      // biome-ignore lint/performance/noAwaitInLoops: authorities limit how fast one account may order
      await order(system, { acme, client, domain });
    }
  }
}

/** Claims due domains, each for one process. Served by domain_certificates_due and domains_verified. */
async function takeDue(system: System): Promise<Due[]> {
  const now = system.clock.now();
  const until = new Date(now.getTime() + ORDER_MS);
  await sql`
    insert into domain_certificates (workspace_id, domain_id, order_at)
    select distinct d.workspace_id, d.id, ${now}::timestamptz
    from domains d join domain_bindings b on b.workspace_id = d.workspace_id and b.domain_id = d.id
    where d.status = 'verified' and not exists (
      select from domain_certificates c where c.workspace_id = d.workspace_id and c.domain_id = d.id)
    on conflict do nothing /* all workspaces */`.execute(singleWrite(system, 'claim'));
  const { rows } = await sql<Due>`
    select d.workspace_id, d.project_id, d.environment, d.id, d.host, c.failed_orders
    from domain_certificates c join domains d on d.workspace_id = c.workspace_id and d.id = c.domain_id and d.status = 'verified'
    where c.order_at <= ${now} and exists (
      select from domain_bindings b where b.workspace_id = c.workspace_id and b.domain_id = c.domain_id)
    order by c.order_at limit ${BATCH} /* all workspaces */`.execute(system.db);
  // Of concurrent processes, one gets an order: for the other it is no longer due.
  const taken = await Promise.all(
    rows.map(async (due) => {
      const { numUpdatedRows } = await singleWrite(system, 'claim')
        .updateTable('domain_certificates')
        .set({ order_at: until })
        .where('workspace_id', '=', due.workspace_id)
        .where('domain_id', '=', due.id)
        .where('order_at', '<=', now)
        .executeTakeFirst();
      return numUpdatedRows > 0n ? [due] : [];
    }),
  );
  return taken.flat();
}

type Order = { acme: Acme; client: Client; domain: Due };

async function order(system: System, { acme, client, domain }: Order): Promise<void> {
  const { workspace_id: workspaceId, project_id: projectId, environment, id, host } = domain;
  const ctx = systemCtx(system, { workspaceId, projectId, environment }, 'certificates', 'certificates');
  try {
    const certificate = await issue(system, { acme, client, domain });
    await transaction(ctx, async (tx) => {
      const notAfter = await keepCertificate(tx, { id, host }, certificate);
      await emit(tx, 'domain.certificate.issued', { domainId: id, host, notAfter: notAfter.toISOString() });
    });
  } catch (error) {
    system.log.warn({ err: error, host }, 'a certificate was not issued; it is ordered again later');
    await transaction(ctx, (tx) => noteFailure(tx, domain, error instanceof Error ? error.message : 'unknown'));
  }
}

async function issue(system: System, { acme, client, domain: { host } }: Order): Promise<Certificate> {
  const { crypto } = await loadAcme();
  const [key, csr] = await crypto.createCsr({ altNames: [host] }, await crypto.createPrivateEcdsaKey());
  const chain = await client.auto({
    csr,
    email: acme.email,
    termsOfServiceAgreed: true,
    challengePriority: ['http-01'],
    // The authority verifies the challenge itself; a check from here proves nothing.
    skipChallengeVerification: true,
    challengeCreateFn: async (_authorization, { type, token }, keyAuthorization) => {
      if (type !== 'http-01') throw new Error(`The authority offers no http-01 challenge for ${host}.`);
      await keepChallenge(system, token, keyAuthorization);
    },
    challengeRemoveFn: (_authorization, { token }) => removeChallenge(system, token),
  });
  return { key: key.toString(), chain };
}

async function noteFailure(tx: TxCtx, { id, host, failed_orders: before }: Due, fault: string): Promise<void> {
  const wait = Math.min(HOUR_MS * 2 ** before, LONGEST_WAIT_MS);
  const shown = fault.slice(0, 500);
  await tx.db
    .updateTable('domain_certificates')
    .set({ fault: shown, failed_orders: before + 1, order_at: new Date(tx.now.getTime() + wait) })
    .where(inWorkspace(tx))
    .where('domain_id', '=', id)
    .execute();
  await emit(tx, 'domain.certificate.failed', { domainId: id, host, fault: shown });
}

const ACCOUNT = 'acme-account';

/**
 * An ACME client with the installation's account key, which is created once and identifies the account (RFC 8555
 * §7.3.1).
 */
async function clientOf(system: System, { directory }: Acme): Promise<Client> {
  const { Client, crypto } = await loadAcme();
  const fresh = (await crypto.createPrivateEcdsaKey()).toString();
  await singleWrite(system, 'first')
    .insertInto('acme_accounts')
    .values({ directory, key_sealed: system.keyring.seal(fresh, ACCOUNT, directory), created_at: system.clock.now() })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const { key_sealed: sealed } = await system.db
    .selectFrom('acme_accounts')
    .select('key_sealed')
    .where('directory', '=', directory)
    .executeTakeFirstOrThrow();
  return new Client({ directoryUrl: directory, accountKey: system.keyring.open(sealed, ACCOUNT, directory) });
}

async function keepChallenge(system: System, token: string, keyAuthorization: string): Promise<void> {
  const now = system.clock.now().getTime();
  await sql`delete from acme_challenges where expires_at < ${new Date(now)}`.execute(singleWrite(system, 'clean-up'));
  await singleWrite(system, 'outcome')
    .insertInto('acme_challenges')
    .values({ token, key_authorization: keyAuthorization, expires_at: new Date(now + HOUR_MS) })
    .onConflict((conflict) => conflict.column('token').doUpdateSet({ key_authorization: keyAuthorization }))
    .execute();
}

async function removeChallenge(system: System, token: string): Promise<void> {
  await singleWrite(system, 'clean-up').deleteFrom('acme_challenges').where('token', '=', token).execute();
}

/** The response to a challenge, in whichever process the authority requests it (RFC 8555 §8.3). */
export async function challengeResponse(system: System, token: string): Promise<string | undefined> {
  const row = await system.db
    .selectFrom('acme_challenges')
    .select('key_authorization')
    .where('token', '=', token)
    .executeTakeFirst();
  return row?.key_authorization;
}
