import { type AuditRecord, readAudit } from '#audit';
import type { Scope } from '#platform/ctx.ts';
import type { System } from '#platform/system.ts';

/** What a stream sends about one entry of the audit log. */
export type LogEntry = Scope & AuditRecord & { truncated?: true };

/** Entries per statement. */
const BATCH = 200;

/** @returns the selected entries after a position, and the position to continue from */
export async function entriesAfter(
  system: System,
  scope: Scope,
  { after, actions }: { after: number; actions: readonly string[] | null },
): Promise<{ entries: LogEntry[]; reached: number }> {
  const { entries, reached } = await readAudit({ system, scope }, { after, actions, limit: BATCH });
  return { entries: entries.map((entry) => ({ ...scope, ...entry })), reached };
}

/**
 * Writes an entry. If the text is longer than the destination accepts, the entry is written without its data and resources,
 * and is marked as truncated.
 */
export function fitted(entry: LogEntry, maxBytes: number, write: (entry: LogEntry) => string): string {
  const whole = write(entry);
  if (Buffer.byteLength(whole) <= maxBytes) return whole;
  return write({ ...entry, resources: [], data: null, truncated: true });
}

/** The id of the person or application that acted. */
export function actorId({ actor }: LogEntry): string | undefined {
  const { userId, applicationId }: Record<string, unknown> = actor ?? {};
  const id = userId ?? applicationId;
  return typeof id === 'string' ? id : undefined;
}
