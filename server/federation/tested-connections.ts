import { type Static, Type } from 'typebox';
import type { UsableConnection } from '#connections';
import { emit } from '#events';
import { inside } from '#organizations';
import { type Ctx, transaction } from '#platform/ctx.ts';
import type { OrganizationId } from '#platform/ids.ts';
import { limitKey, limits } from '#platform/limits.ts';
import { problemWithRetry } from '#platform/problem.ts';

/** What a member needs in the organization in order to test its connections. */
export const TESTING = 'org.connections:write';

const tests = limits({ 'organization-connection-tests': { points: 20, seconds: 600 } });

/**
 * Checks that the signed-in member may test connections, and counts the test.
 * @throws Problem NOT_FOUND, ORGANIZATION_BLOCKED, AUTHORIZATION_DENIED, RATE_LIMIT_EXCEEDED
 */
export async function requireTesting(ctx: Ctx, organizationId: OrganizationId): Promise<void> {
  await inside.require(ctx, organizationId, TESTING);
  const taken = await tests(ctx.system)['organization-connection-tests'].take(ctx, limitKey(organizationId));
  if (!taken.allowed) throw problemWithRetry('RATE_LIMIT_EXCEEDED', taken.retryAfter);
}

export const TestedConnection = Type.Object({ ok: Type.Boolean(), detail: Type.String() });
type TestedConnection = Static<typeof TestedConnection>;

/** Records that a connection was tested, and returns the result. */
export async function recordTest(
  ctx: Ctx,
  { connection, result: { ok, detail } }: { connection: UsableConnection; result: TestedConnection },
): Promise<TestedConnection> {
  const { id: connectionId, organizationId, kind, name } = connection;
  await transaction(ctx, (tx) =>
    emit(tx, 'organization.connection.tested', { organizationId, connectionId, kind, name, ok }),
  );
  return { ok, detail };
}
