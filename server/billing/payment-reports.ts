import type { Generated } from 'kysely';
import { sql } from 'kysely';
import type { Environment, TxCtx } from '#platform/ctx.ts';
import type { ProjectId, WorkspaceId } from '#platform/ids.ts';
import type { System } from '#platform/system.ts';
import type { LedgerId } from './ledger.ts';
import { stripeAccount } from './stripe.ts';

type ReportsTable = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  ledger_id: LedgerId;
  due_at: Date;
  attempts: Generated<number>;
  error: string | null;
};

declare module '#platform/db.ts' {
  interface Tables {
    sms_payment_reports: ReportsTable;
  }
}

/** The name of the meter that counts segments beyond the included ones. */
const METER = 'latchkey_sms_overage';
const BATCH = 100;
const LONGEST_PAUSE_MS = 3_600_000;

/** Notes entries that the provider has to hear of, with the entries themselves: an outage of the provider loses none. */
export async function queueReports(tx: TxCtx, ids: readonly LedgerId[]): Promise<void> {
  if (ids.length === 0 || tx.system.config.paymentsUrl === null) return;
  const { workspaceId, projectId, environment } = tx.scope;
  const rows = ids.map((id) => ({
    workspace_id: workspaceId,
    project_id: projectId,
    environment,
    ledger_id: id,
    due_at: tx.now,
    error: null,
  }));
  await tx.db.insertInto('sms_payment_reports').values(rows).execute();
}

type Due = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  ledger_id: LedgerId;
  attempts: number;
  created_at: Date;
  customer_ref: string;
};

/**
 * Tells the provider what was used, an event for every segment that costs. The entry's id names the event, so one that is told
 * twice counts once. Runs as a job; what fails is told later, for as long as it takes.
 */
export async function reportUsage(system: System): Promise<void> {
  const account = stripeAccount(system);
  if (!account) return;
  const { rows } = await sql<Due>`
    select r.workspace_id, r.project_id, r.environment, r.ledger_id, r.attempts, l.created_at, s.customer_ref
    from sms_payment_reports r /* all workspaces */
    join sms_ledger l on l.workspace_id = r.workspace_id and l.project_id = r.project_id and l.environment = r.environment and l.id = r.ledger_id
    join sms_subscriptions s on s.workspace_id = r.workspace_id and s.project_id = r.project_id and s.environment = r.environment
    where r.due_at <= ${system.clock.now()} and s.customer_ref is not null order by r.due_at limit ${BATCH}`.execute(
    system.db,
  );
  for (const due of rows) {
    const event = {
      event_name: METER,
      identifier: due.ledger_id,
      timestamp: Math.floor(due.created_at.getTime() / 1000),
      payload: { stripe_customer_id: due.customer_ref, value: '1' },
    };
    const told = account.client.billing.meterEvents.create(event, { idempotencyKey: due.ledger_id });
    // biome-ignore lint/performance/noAwaitInLoops: the provider limits how fast it may be asked
    await told.then(
      () => forget(system, due),
      (error: unknown) => postpone(system, due, error instanceof Error ? error.message : 'unknown'),
    );
  }
}

async function forget(system: System, due: Due): Promise<void> {
  await system.db
    .deleteFrom('sms_payment_reports')
    .where('workspace_id', '=', due.workspace_id)
    .where('project_id', '=', due.project_id)
    .where('environment', '=', due.environment)
    .where('ledger_id', '=', due.ledger_id)
    .execute();
}

async function postpone(system: System, due: Due, error: string): Promise<void> {
  const pause = Math.min(30_000 * 2 ** due.attempts, LONGEST_PAUSE_MS);
  await system.db
    .updateTable('sms_payment_reports')
    .set({ attempts: due.attempts + 1, error, due_at: new Date(system.clock.now().getTime() + pause) })
    .where('workspace_id', '=', due.workspace_id)
    .where('project_id', '=', due.project_id)
    .where('environment', '=', due.environment)
    .where('ledger_id', '=', due.ledger_id)
    .execute();
}
