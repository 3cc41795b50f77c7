import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { type ConnectionRef, getConnection, type UsableConnection } from '#connections';
import { type Ctx, type Environment, transaction } from '#platform/ctx.ts';
import type { ProjectId, WorkspaceId } from '#platform/ids.ts';
import { found } from '#platform/problem.ts';
import { Instant, nullable } from '#platform/schemas.ts';
import { inScope, scopeColumns } from '#platform/scoped.ts';
import { type AssertionContent, CHECKS, SamlFault } from '#saml';
import { attributesOf } from './saml-attributes.ts';

type SamlLastResponsesTable = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  connection_id: string;
  sealed: string;
  expires_at: Date;
};

declare module '#platform/db.ts' {
  interface Tables {
    saml_last_responses: SamlLastResponsesTable;
  }
}

const SEALED = 'saml-last-response';
/** It holds what an identity provider says about a person, so it stays only as long as somebody sets up the connection. */
const KEPT_HOURS = 24;

const Values = Type.Array(Type.String());

/** The last response that came to a connection, explained. */
export const ExplainedResponse = Type.Object(
  {
    receivedAt: Instant,
    accepted: Type.Boolean(),
    check: nullable(Type.Enum([...CHECKS], { description: 'The check that failed.' })),
    detail: nullable(Type.String({ description: 'Why it failed, with what was expected.' })),
    nameId: nullable(Type.String()),
    nameIdFormat: nullable(Type.String()),
    authenticationContext: nullable(Type.String()),
    attributes: Type.Record(Type.String(), Values, { description: 'As the identity provider sent them.' }),
    mapped: Type.Object(
      {
        email: nullable(Type.String()),
        givenName: nullable(Type.String()),
        familyName: nullable(Type.String()),
        displayName: nullable(Type.String()),
        groups: Values,
      },
      { description: 'What the attribute mapping of the connection makes of them now.' },
    ),
  },
  { title: 'ExplainedSamlResponse' },
);

/** What is kept of a response. */
const Kept = Type.Omit(ExplainedResponse, ['mapped']);

/** Keeps what a response said, or why it was refused, instead of the one before. */
export async function recordExplained(
  ctx: Ctx,
  { id }: UsableConnection,
  outcome: AssertionContent | SamlFault,
): Promise<void> {
  const { now } = { now: ctx.system.clock.now() };
  const refused = outcome instanceof SamlFault;
  const kept: Static<typeof Kept> = {
    receivedAt: now.toISOString(),
    accepted: !refused,
    check: refused ? outcome.check : null,
    detail: refused ? outcome.message : null,
    nameId: refused ? null : outcome.nameId,
    nameIdFormat: refused ? null : outcome.nameIdFormat,
    authenticationContext: refused ? null : outcome.context,
    attributes: refused ? {} : outcome.attributes,
  };
  const sealed = ctx.system.keyring.seal(JSON.stringify(kept), SEALED, id);
  const expiresAt = new Date(now.getTime() + KEPT_HOURS * 3_600_000);
  await transaction(ctx, (tx) =>
    tx.db
      .insertInto('saml_last_responses')
      .values({ ...scopeColumns(tx), connection_id: id, sealed, expires_at: expiresAt })
      .onConflict((conflict) =>
        conflict
          .columns(['workspace_id', 'project_id', 'environment', 'connection_id'])
          .doUpdateSet({ sealed, expires_at: expiresAt }),
      )
      .execute(),
  );
}

/**
 * The last response of a connection within a day. Served by the primary key.
 * @throws Problem NOT_FOUND
 */
export async function explainedResponse(ctx: Ctx, ref: ConnectionRef): Promise<Static<typeof ExplainedResponse>> {
  const { id, attributes: names } = await getConnection(ctx, ref);
  const row = found(
    await ctx.db
      .selectFrom('saml_last_responses')
      .select('sealed')
      .where(inScope(ctx))
      .where('connection_id', '=', id)
      .where('expires_at', '>', ctx.system.clock.now())
      .executeTakeFirst(),
  );
  const kept = Value.Parse(Kept, JSON.parse(ctx.system.keyring.open(row.sealed, SEALED, id)));
  const sent = attributesOf(kept);
  const one = (name: string) => listOf(sent[name])[0] ?? null;
  return {
    ...kept,
    mapped: {
      email: one(names.email),
      givenName: one(names.givenName),
      familyName: one(names.familyName),
      displayName: one(names.displayName),
      groups: listOf(sent[names.groups]),
    },
  };
}

function listOf(value: string | string[] | undefined): string[] {
  return value === undefined ? [] : [value].flat();
}
