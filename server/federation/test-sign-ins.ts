import type { Generated } from 'kysely';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { type ConnectionId, type ConnectionRef, connectionToTest, type UsableConnection } from '#connections';
import { authAddressOf } from '#domains';
import { projectOf } from '#environments';
import { emit } from '#events';
import { type Ctx, type Environment, transaction } from '#platform/ctx.ts';
import { type Id, IdSchema, newId, type OrganizationId, type ProjectId, type WorkspaceId } from '#platform/ids.ts';
import { hashSecret, randomSecret } from '#platform/keyring.ts';
import { found } from '#platform/problem.ts';
import { Instant } from '#platform/schemas.ts';
import { acrossProjects, at, inScope, scopeColumns } from '#platform/scoped.ts';
import { TestOutcome } from './test-outcomes.ts';
import { staleFlow } from './upstream-flows.ts';

export type TestSignInId = Id<'tsi'>;

type ConnectionTestSignInsTable = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  id: TestSignInId;
  organization_id: OrganizationId;
  connection_id: ConnectionId;
  ticket_hash: Buffer;
  /** Where the browser goes afterwards; null: to a page that says that it is over. */
  return_to: string | null;
  begun_at: Generated<Date | null>;
  /** What came back. */
  sealed: Generated<string | null>;
  expires_at: Date;
};

declare module '#platform/db.ts' {
  interface Tables {
    connection_test_sign_ins: ConnectionTestSignInsTable;
  }
}

const SEALED = 'connection-test-sign-in';
/** It holds what an identity provider says about a person, so it stays only as long as somebody sets up the connection. */
const KEPT_HOURS = 24;

export const TestSignInRef = Type.Object({
  organizationId: IdSchema('org'),
  connectionId: IdSchema('con'),
  testSignInId: IdSchema('tsi'),
});

/** A test sign-in, and what came back. */
export const TestSignIn = Type.Object(
  {
    id: IdSchema('tsi'),
    expiresAt: Instant,
    outcome: Type.Union([TestOutcome, Type.Null()], { description: 'null until the browser came back.' }),
  },
  { title: 'ConnectionTestSignIn' },
);
type TestSignIn = Static<typeof TestSignIn>;

export const StartedTestSignIn = Type.Object(
  {
    ...TestSignIn.properties,
    url: Type.String({ description: 'Open it in a browser. It works once.' }),
  },
  { title: 'StartedConnectionTestSignIn' },
);

/**
 * Starts a test sign-in of a connection, which may be disabled. The person who opens its address signs in at the identity
 * provider; what comes back is explained, and there is no session and no account.
 * @param returnTo where the browser goes afterwards; null: to a page that says that it is over
 * @throws Problem NOT_FOUND
 */
export async function startTestSignIn(
  ctx: Ctx,
  ref: ConnectionRef,
  returnTo: string | null,
): Promise<Static<typeof StartedTestSignIn>> {
  const { kind, name } = await connectionToTest(ctx, ref);
  const { routingKey } = await projectOf(ctx.system, ctx.scope);
  const { organizationId, connectionId } = ref;
  const [id, ticket] = [newId('tsi', ctx.now), `lkt_${routingKey}_${randomSecret()}`];
  const expiresAt = new Date(ctx.now.getTime() + KEPT_HOURS * 3_600_000);
  await transaction(ctx, async (tx) => {
    await tx.db
      .insertInto('connection_test_sign_ins')
      .values({
        ...scopeColumns(tx),
        id,
        organization_id: organizationId,
        connection_id: connectionId,
        ticket_hash: hashSecret(ticket),
        return_to: returnTo,
        expires_at: expiresAt,
      })
      .execute();
    await emit(tx, 'organization.connection.test_started', { organizationId, connectionId, kind, name });
  });
  const url = `${await authAddressOf(ctx)}/v1/auth/login/connections/${connectionId}/test?ticket=${ticket}`;
  return { id, expiresAt: expiresAt.toISOString(), outcome: null, url };
}

/**
 * A test sign-in of a connection within a day. Served by the primary key.
 * @throws Problem NOT_FOUND
 */
export async function testSignIn(ctx: Ctx, ref: Static<typeof TestSignInRef>): Promise<TestSignIn> {
  const row = found(
    await ctx.db
      .selectFrom('connection_test_sign_ins')
      .select(['id', 'sealed', 'expires_at'])
      .where(inScope(ctx))
      .where('id', '=', ref.testSignInId)
      .where('organization_id', '=', ref.organizationId)
      .where('connection_id', '=', ref.connectionId)
      .where('expires_at', '>', ctx.system.clock.now())
      .executeTakeFirst(),
  );
  const outcome =
    row.sealed && Value.Parse(TestOutcome, JSON.parse(ctx.system.keyring.open(row.sealed, SEALED, row.id)));
  return { id: row.id, expiresAt: row.expires_at.toISOString(), outcome: outcome || null };
}

/**
 * Spends the ticket of a test sign-in. Served by connection_test_sign_ins_of_ticket.
 * @throws Problem INVALID_TOKEN
 */
export async function spendTicket(
  realm: Ctx,
  { ticket, connectionId }: { ticket: string; connectionId: ConnectionId },
) {
  const row = await transaction(realm, (tx) =>
    tx.db
      .updateTable('connection_test_sign_ins')
      .set({ begun_at: tx.now })
      .where(acrossProjects(tx))
      .where('ticket_hash', '=', hashSecret(ticket))
      .where('connection_id', '=', connectionId)
      .where('begun_at', 'is', null)
      .where('expires_at', '>', tx.now)
      .returning(['id', 'project_id', 'organization_id', 'return_to'])
      .executeTakeFirst(),
  );
  if (!row) throw staleFlow();
  const ctx: Ctx = at(realm, { projectId: row.project_id });
  return { ctx, id: row.id, organizationId: row.organization_id, returnTo: row.return_to };
}

/** @returns the connection of a test sign-in; undefined if there is no such */
export async function connectionOfTest(ctx: Ctx, id: TestSignInId): Promise<ConnectionRef | undefined> {
  return ctx.db
    .selectFrom('connection_test_sign_ins')
    .select(['organization_id as organizationId', 'connection_id as connectionId'])
    .where(inScope(ctx))
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Keeps what came back from a test sign-in, for a day after its start. */
export async function keepOutcome(
  ctx: Ctx,
  { id, connection }: { id: TestSignInId; connection: UsableConnection },
  outcome: TestOutcome,
): Promise<void> {
  const sealed = ctx.system.keyring.seal(JSON.stringify(outcome), SEALED, id);
  const { id: connectionId, organizationId, kind, name } = connection;
  await transaction(ctx, async (tx) => {
    await tx.db
      .updateTable('connection_test_sign_ins')
      .set({ sealed })
      .where(inScope(tx))
      .where('id', '=', id)
      .execute();
    const ok = outcome.result !== 'refused';
    await emit(tx, 'organization.connection.tested', { organizationId, connectionId, kind, name, ok });
  });
}
