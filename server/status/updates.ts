import { sql } from 'kysely';
import type { Json } from '#platform/db.ts';
import { type Id, newId, type WorkspaceId } from '#platform/ids.ts';
import { addJob } from '#platform/jobs.ts';
import type { Affected } from './affected.ts';
import { inPage, type OfPage, ofPage, type PageDb, type PageKey, type PageTx } from './pages.ts';

export type IncidentPhase = 'investigating' | 'identified' | 'monitoring' | 'resolved';
export type MaintenancePhase = 'scheduled' | 'in_progress' | 'verifying' | 'completed';
/** The phase that a notice announces. The last two are not phases of incidents or maintenances. */
export type NoticePhase = IncidentPhase | MaintenancePhase | 'reminder' | 'cancelled';

type StatusUpdatesTable = OfPage & {
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
type StatusNoticesTable = OfPage & {
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
    /** `workspaceId` of the page of a project, with whose workspace it goes along. */
    status_notice: { environment: PageKey; noticeId: NoticeId; workspaceId?: WorkspaceId };
  }
}

/** Runs after all other jobs: the next portion of a notice is queued when the one before is sent. */
const NOTICE_PRIORITY = 20;

/** An update as the public sees it. */
export type Update = {
  phase: IncidentPhase | MaintenancePhase;
  body: string;
  at: Date;
  /** Null for updates of earlier versions, which did not record it. */
  affected: readonly Affected[] | null;
};

/** Inserts an update of an incident or maintenance. */
export async function addUpdateRow(
  tx: PageTx,
  subjectId: string,
  { phase, body, at, affected }: Update,
): Promise<void> {
  await tx.db
    .insertInto('status_updates')
    .values({
      ...ofPage(tx.page),
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
export async function setNewestAffected(tx: PageTx, subjectId: string, affected: readonly Affected[]): Promise<void> {
  await tx.db
    .updateTable('status_updates')
    .set({ affected: JSON.stringify(affected) })
    .where(inPage(tx.page))
    .where('subject_id', '=', subjectId)
    .where('id', '=', (eb) =>
      eb
        .selectFrom('status_updates')
        .select(({ fn }) => fn.max('id').as('id'))
        .where(inPage(tx.page))
        .where('subject_id', '=', subjectId),
    )
    .execute();
}

/** Updates of incidents or maintenances, newest first. Served by the primary key. */
export async function updatesOf({ db, page }: PageDb, subjectIds: readonly string[]): Promise<Map<string, Update[]>> {
  const rows = await db
    .selectFrom('status_updates')
    .select(['subject_id', 'phase', 'body', 'at', 'affected'])
    .where(inPage(page))
    .where('subject_id', '=', sql<string>`any(${[...subjectIds]})`)
    .orderBy('id', 'desc')
    .execute();
  return Map.groupBy(rows, ({ subject_id }) => subject_id);
}

/**
 * Queues a notice to its subscribers in the transaction of the change: one row and one job, however many they are. An
 * unpublished page tells nobody.
 */
export async function queueNotice(
  tx: PageTx,
  subjectId: string,
  { componentIds, content }: { componentIds: readonly string[]; content: NoticeContent },
): Promise<void> {
  if (!tx.page.published) return;
  const id = newId('ntc', tx.now);
  await tx.db
    .insertInto('status_notices')
    .values({
      ...ofPage(tx.page),
      id,
      subject_id: subjectId,
      content: JSON.stringify(content),
      component_ids: [...componentIds],
      cursor: '',
      created_at: tx.now,
      done_at: null,
    })
    .execute();
  await addNoticeJob(tx, id);
}

/** Queues the next portion of a notice. */
export async function addNoticeJob(tx: PageTx, noticeId: NoticeId): Promise<void> {
  const { key, workspaceId } = tx.page;
  const job = { environment: key, noticeId, ...(workspaceId !== '' && { workspaceId }) };
  await addJob(tx, 'status_notice', job, { priority: NOTICE_PRIORITY });
}
