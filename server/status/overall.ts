import { emit } from '#events';
import { sendMessage } from '#messages';
import type { Environment, TxCtx } from '#platform/ctx.ts';
import type { SystemInTx } from '#platform/system.ts';
import { readOpenIncidents, readShown } from './affected.ts';
import { isWell, overallOf } from './combined-status.ts';
import { voiceIn } from './words.ts';

/**
 * Compares the overall status with the one before, inside a change of the board (which is locked). A change between
 * operational and degraded is announced once, whichever process finds it.
 */
export async function settleOverall(tx: TxCtx): Promise<void> {
  const { environment } = tx.scope;
  const shown = await readShown(tx);
  const { overallStatus: overall } = overallOf(
    shown.map(({ status }) => status),
    await readOpenIncidents(tx),
  );
  const affected = shown
    .filter(({ status }) => !isWell(status))
    .map(({ id, name }) => ({ id, name: name ?? voiceIn('en').nameOf(id) }));
  const board = await tx.db
    .updateTable('status_boards')
    .set({ overall, overall_since: tx.now })
    .where('environment', '=', environment)
    .where('overall', '<>', overall)
    .returning('alert_emails')
    .executeTakeFirst();
  if (!board) return;
  await emit(tx, overall === 'degraded' ? 'status.degraded' : 'status.restored', {
    environment,
    componentIds: affected.map(({ id }) => id),
  });
  const variables = {
    overall,
    environment,
    components: affected.map(({ name }) => name).join(', ') || 'none',
    time: `${tx.now.toISOString().slice(0, 16).replace('T', ' ')} UTC`,
    link: pageAddressOf(tx.system, environment),
  };
  for (const to of board.alert_emails) {
    // biome-ignore lint/performance/noAwaitInLoops: a few, on one connection
    await sendMessage(tx, { template: 'status_alert', to, variables });
  }
}

/** The address of an environment's status page, or of a page below it. */
export function pageAddressOf(system: SystemInTx, environment: Environment, path = ''): string {
  const query = environment === 'production' ? '' : `?environment=${environment}`;
  return `${system.config.addresses.status}/status${path}${query}`;
}
