import { emit } from '#events';
import { sendMessage } from '#messages';
import { pageAddressOf } from './addresses.ts';
import { readOpenIncidents, readShown } from './affected.ts';
import { isWell, overallOf } from './combined-status.ts';
import { inPage, type PageTx } from './pages.ts';
import { voiceIn } from './words.ts';

/**
 * Compares the overall status with the one before, inside a change of the board (which is locked). A change between
 * operational and degraded is announced once, whichever process finds it.
 */
export async function settleOverall(tx: PageTx): Promise<void> {
  const { environment } = tx.page;
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
    .where(inPage(tx.page))
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
    link: pageAddressOf(tx.system, tx.page),
  };
  for (const to of board.alert_emails) {
    // biome-ignore lint/performance/noAwaitInLoops: a few, on one connection
    await sendMessage(tx, { template: 'status_alert', to, variables });
  }
}
