import { randomUUID } from 'node:crypto';
import { activeOwners } from '#members';
import { sendMessage } from '#messages';
import { usersById } from '#people';
import { systemCtx, type TxCtx, transaction } from '#platform/ctx.ts';
import { preparedWrite } from '#platform/single-writes.ts';

import type { System } from '#platform/system.ts';
import type { Protocol } from './attempt.ts';
import { type DisabledReason, type EndpointRow, lockRow, switchEndpoint } from './endpoints.ts';
import { type Attempted, FAILING_MS, type Outcome } from './schedule.ts';

const NOTE = preparedWrite<{ failing_since: Date }>(
  'webhook-failure',
  'count',
  `update webhook_endpoints
   set failing_since = coalesce(failing_since, $3), paused_until = greatest(paused_until, $4::timestamptz)
   where workspace_id = $1 and id = $2 returning failing_since`,
);

/**
 * Stores the consequences of a failed attempt for the endpoint: failing since when, paused until when, disabled or not.
 * Writes only changes.
 * @param row as read before the attempt; updated in place
 */
export async function noteFailure(
  system: System,
  row: EndpointRow,
  { attempt, outcome, protocol }: { attempt: Attempted; outcome: Outcome; protocol: Protocol },
): Promise<void> {
  if (row.failing_since === null || outcome.pauseUntil !== null) {
    const { rows } = await NOTE(system, [row.workspace_id, row.id, attempt.startedAt, outcome.pauseUntil]);
    row.failing_since = rows[0]?.failing_since ?? null;
  }
  const failingMs = row.failing_since === null ? 0 : system.clock.now().getTime() - row.failing_since.getTime();
  const reason = outcome.disable ?? (failingMs >= FAILING_MS ? 'failing' : null);
  if (reason !== null && row.enabled) await disable(system, row, { reason, protocol });
}

/** Disables an endpoint and notifies the owners of the project, or the part that it belongs to. */
async function disable(
  system: System,
  row: EndpointRow,
  { reason, protocol }: { reason: DisabledReason; protocol: Protocol },
): Promise<void> {
  row.enabled = false;
  const scope = { workspaceId: row.workspace_id, projectId: row.project_id, environment: row.environment };
  await transaction(systemCtx(system, scope, 'webhooks', randomUUID()), async (tx) => {
    const locked = await lockRow(tx, row.id);
    if (!locked || !(await switchEndpoint(tx, locked, reason))) return;
    if (locked.purpose === 'events') await mailOwners(tx, locked, reason);
    if (locked.key !== null) await protocol.disabled?.(tx, locked.key);
  });
}

async function mailOwners(tx: TxCtx, { url, description }: EndpointRow, reason: DisabledReason): Promise<void> {
  const owners = await usersById(tx, await activeOwners(tx));
  const time = `${tx.now.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  for (const { email, locale } of owners.values()) {
    if (!email) continue;
    // biome-ignore lint/performance/noAwaitInLoops: one connection, one statement after the other; projects have few owners
    await sendMessage(tx, {
      template: 'webhook_disabled',
      to: email,
      locale,
      variables: { url, name: description || url, reason, time },
    });
  }
}
