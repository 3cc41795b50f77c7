import { sql } from 'kysely';
import { ofRemoved, portionOf, type Removal } from '#platform/removal.ts';

/** Deliveries and their attempts. */
export const deliveries: Removal = {
  tables: ['webhook_deliveries', 'webhook_attempts'],
  remove: async (tx, removed, limit) => {
    const { rows } = await sql<{ removed: number }>`
      with gone as (
        delete from webhook_deliveries
        where ${portionOf('webhook_deliveries', { where: ofRemoved(removed), limit })}
        returning id
      ), attempts as (
        delete from webhook_attempts
        where workspace_id = ${removed.workspaceId} and delivery_id = any(array(select id from gone))
      )
      select count(*) as removed from gone`.execute(tx.db);
    return rows[0]?.removed ?? 0;
  },
};
