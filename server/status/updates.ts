import { sql } from 'kysely';
import type { Ctx, Environment, TxCtx } from '#platform/ctx.ts';
import type { Json } from '#platform/db.ts';
import { type Id, newId } from '#platform/ids.ts';
import { addJob } from '#platform/jobs.ts';
import type { Affected } from './affected.ts';

export type IncidentPhase = 'investigating' | 'identified' | 'monitoring' | 'resolved';
export type MaintenancePhase = 'scheduled' | 'in_progress' | 'verifying' | 'completed';
/** The phase that a notice announces. The last two are not phases of incidents or maintenances. */
export type NoticePhase = IncidentPhase | MaintenancePhase | 'reminder' | 'cancelled';

type StatusUpdatesTable = {
  environment: Environment;
  subject_id: string;
  id: string;
  phase: IncidentPhase | MaintenancePhase;
  body: string;
  at: Date;
  affected: Json<Affected[]> | null;
};

/** The content of a notice. An empty title or body is worded in the reader's language. */
export type NoticeContent = {
  kind: 'incident' | 'maintenance';
  title: string;
  phase: NoticePhase;
  body: string;
  severity: string | null;
  at: string;
};

type NoticeId = Id<'ntc'>;
type StatusNoticesTable = {
  environment: Environment;
  id: NoticeId;
  subject_id: string;
  content: Json<NoticeContent>;
  component_ids: string[];
  cursor: string;
  created_at: Date;
  done_at: Date | null;
};

declare module '#platform/db.ts' {
  interface Tables {
    status_updates: StatusUpdatesTable;
    status_notices: StatusNoticesTable;
  }
}

declare module '#platform/jobs.ts' {
  interface Jobs {
    status_notice: { environment: Environment; noticeId: NoticeId };
  }
}

/** Runs after all other jobs: the next portion of a notice is queued when the one before is sent. */
export const NOTICE_PRIORITY = 20;

/** An update as the public sees it. */
export type Update = {
  phase: IncidentPhase | MaintenancePhase;
  body: string;
  at: Date;
  /** Null for updates of earlier versions, which did not record it. */
  affected: readonly Affected[] | null;
};

/** Inserts an update of an incident or maintenance. */
export async function addUpdateRow(tx: TxCtx, subjectId: string, { phase, body, at, affected }: Update): Promise<void> {
  await tx.db
    .insertInto('status_updates')
    .values({
      environment: tx.scope.environment,
      subject_id: subjectId,
      id: newId('upd', tx.now),
      phase,
      body,
      at,
      affected: JSON.stringify(affected),
    })
    .execute();
}

/** Sets what the newest update of an incident changed, when the incident becomes public. */
export async function setNewestAffected(tx: TxCtx, subjectId: string, affected: readonly Affected[]): Promise<void> {
  const { environment } = tx.scope;
  await tx.db
    .updateTable('status_updates')
    .set({ affected: JSON.stringify(affected) })
    .where('environment', '=', environment)
    .where('subject_id', '=', subjectId)
    .where('id', '=', (eb) =>
      eb
        .selectFrom('status_updates')
        .select(({ fn }) => fn.max('id').as('id'))
        .where('environment', '=', environment)
        .where('subject_id', '=', subjectId),
    )
    .execute();
}

/** Updates of incidents or maintenances, newest first. Served by the primary key. */
export async function updatesOf(
  { db, environment }: Pick<Ctx, 'db'> & { environment: Environment },
  subjectIds: readonly string[],
): Promise<Map<string, Update[]>> {
  const rows = await db
    .selectFrom('status_updates')
    .select(['subject_id', 'phase', 'body', 'at', 'affected'])
    .where('environment', '=', environment)
    .where('subject_id', '=', sql<string>`any(${[...subjectIds]})`)
    .orderBy('id', 'desc')
    .execute();
  return Map.groupBy(rows, ({ subject_id }) => subject_id);
}

/** Queues a notice to its subscribers in the transaction of the change: one row and one job, however many they are. */
export async function queueNotice(
  tx: TxCtx,
  subjectId: string,
  { componentIds, content }: { componentIds: readonly string[]; content: NoticeContent },
): Promise<void> {
  const id = newId('ntc', tx.now);
  const { environment } = tx.scope;
  await tx.db
    .insertInto('status_notices')
    .values({
      environment,
      id,
      subject_id: subjectId,
      content: JSON.stringify(content),
      component_ids: [...componentIds],
      cursor: '',
      created_at: tx.now,
      done_at: null,
    })
    .execute();
  await addJob(tx, 'status_notice', { environment, noticeId: id }, { priority: NOTICE_PRIORITY });
}
