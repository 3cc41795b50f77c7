import { timingSafeEqual } from 'node:crypto';
import type { Generated } from 'kysely';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import type { ConnectionId } from '#connections';
import { authAddressOf } from '#domains';
import { projectOf } from '#environments';
import { Binding, challengeOf } from '#exchange';
import type { ProviderId } from '#identity-providers';
import { type Ctx, type Environment, type TxCtx, transaction } from '#platform/ctx.ts';
import { type Id, IdSchema, type ProjectId, type UserId, type WorkspaceId } from '#platform/ids.ts';
import { hashSecret, randomSecret } from '#platform/keyring.ts';
import { problem } from '#platform/problem.ts';
import { acrossProjects, at, scopeColumns } from '#platform/scoped.ts';
import { isClosed } from '#tenancy';
import type { UpstreamRequest } from './upstream.ts';

type PartyId = ProviderId | ConnectionId;

type UpstreamFlowsTable = {
  workspace_id: WorkspaceId;
  environment: Environment;
  state_hash: Buffer;
  project_id: ProjectId;
  /** The identity provider, or the connection of an organization. */
  provider_id: PartyId;
  browser_hash: Buffer;
  sealed: string;
  /** The response of a party that posted it, while the browser returns with its cookie. */
  response_sealed: Generated<string | null>;
  user_id: UserId | null;
  expires_at: Date;
};

declare module '#platform/db.ts' {
  interface Tables {
    upstream_flows: UpstreamFlowsTable;
  }
}

const SEALED = 'upstream-flow';
const SEALED_RESPONSE = 'upstream-response';
const FLOW_SECONDS = 600;

const nullableText = Type.Union([Type.String(), Type.Null()]);

/** The user to link the identity to, and the session that started it; null: to sign in. */
export const LinkTo = Type.Union([Type.Object({ userId: IdSchema('usr'), sessionId: IdSchema('ses') }), Type.Null()]);
type LinkTo = Static<typeof LinkTo>;

/** The state kept, encrypted, while the browser is at the provider. */
const Away = Type.Object({
  state: Type.String(),
  nonce: Type.String(),
  verifier: Type.String(),
  redirectUri: Type.String(),
  appState: nullableText,
  binding: Binding,
  linkTo: LinkTo,
  /** It signs nobody in: what comes back is explained. */
  testSignInId: Type.Optional(IdSchema('tsi')),
});
export type Away = Static<typeof Away>;

/** Where an application's sign-in ends, and how it is bound. */
export type UpstreamStart = {
  redirectUri: string;
  appState: string | null;
  binding: Binding;
  linkTo: LinkTo;
  testSignInId?: Id<'tsi'>;
  loginHint: string | null;
  /** A secret of this browser, required to finish the flow. */
  browser: string;
};

/** Where the browser is sent: an identity provider of the project, or of an organization. */
export type Party = {
  id: PartyId;
  name: string;
  /** The path of its own to which the browser returns (mix-up; RFC 9700 §4.4.2.2). */
  callbackPath: string;
  /** The address of its sign-in page. */
  addressFor: (request: UpstreamRequest & { callback: string }) => Promise<string>;
};

/**
 * Stores the flow and returns the party's address.
 * @throws Problem SERVICE_UNAVAILABLE if the party does not respond
 */
export async function leaveFor(ctx: Ctx, party: Party, start: UpstreamStart): Promise<string> {
  const { routingKey } = await projectOf(ctx.system, ctx.scope);
  const request = { state: `lku_${routingKey}_${randomSecret()}`, nonce: randomSecret(), verifier: randomSecret() };
  const { loginHint, browser, ...end } = start;
  const away: Away = { ...request, ...end };
  // The browser returns to the auth address from which it left.
  const callback = `${await authAddressOf(ctx)}${party.callbackPath}`;
  const challenge = challengeOf(request.verifier);
  const url = await party.addressFor({ ...request, challenge, loginHint, callback }).catch((cause: unknown) => {
    const detail = `${party.name} is not responding. Try another way to sign in.`;
    throw problem('SERVICE_UNAVAILABLE', { detail, cause });
  });
  const stateHash = hashSecret(request.state);
  await transaction(ctx, (tx) =>
    tx.db
      .insertInto('upstream_flows')
      .values({
        ...scopeColumns(tx),
        state_hash: stateHash,
        provider_id: party.id,
        browser_hash: hashSecret(browser),
        sealed: tx.system.keyring.seal(JSON.stringify(away), SEALED, stateHash.toString('hex')),
        user_id: end.linkTo?.userId ?? null,
        expires_at: new Date(tx.now.getTime() + FLOW_SECONDS * 1000),
      })
      .execute(),
  );
  return url;
}

/** @throws Problem INVALID_TOKEN */
export function staleFlow() {
  return problem(
    'INVALID_TOKEN',
    'This sign-in was not started in this browser, is over, or took too long. Start again in the application.',
  );
}

/**
 * Spends the stored flow of a browser that returns. It must be the same browser.
 * @returns where the browser was sent; the caller checks that it returns from there
 * @throws Problem INVALID_TOKEN
 */
export async function spendFlow(
  ctx: Ctx,
  { state, browser }: { state: string; browser: string | undefined },
): Promise<{ ctx: Ctx; partyId: PartyId; away: Away; message: string | null }> {
  const stateHash = hashSecret(state);
  const row = await transaction(ctx, (tx) =>
    tx.db
      .deleteFrom('upstream_flows')
      .where(acrossProjects(tx))
      .where('state_hash', '=', stateHash)
      .where('expires_at', '>', tx.now)
      .returning(['project_id', 'provider_id', 'browser_hash', 'sealed', 'response_sealed'])
      .executeTakeFirst(),
  );
  const opened = await openFlow(ctx, row, { stateHash, browser });
  const record = stateHash.toString('hex');
  const sealed = row?.response_sealed ?? null;
  return { ...opened, message: sealed && ctx.system.keyring.open(sealed, SEALED_RESPONSE, record) };
}

type FlowRow = { project_id: ProjectId; provider_id: PartyId; browser_hash: Buffer; sealed: string };

/** @throws Problem INVALID_TOKEN */
async function openFlow(
  ctx: Ctx,
  row: FlowRow | undefined,
  { stateHash, browser }: { stateHash: Buffer; browser: string | undefined },
): Promise<{ ctx: Ctx; partyId: PartyId; away: Away }> {
  if (!row || browser === undefined || !timingSafeEqual(hashSecret(browser), row.browser_hash)) throw staleFlow();
  const inProject: Ctx = at(ctx, { projectId: row.project_id });
  if (await isClosed(ctx.system, inProject.scope)) throw staleFlow();
  const away: unknown = JSON.parse(ctx.system.keyring.open(row.sealed, SEALED, stateHash.toString('hex')));
  // A flow stored by an older version has to start again.
  if (!Value.Check(Away, away)) throw staleFlow();
  return { ctx: inProject, partyId: row.provider_id, away };
}

/**
 * The stored flow of a browser that is about to leave by a form. Served by the primary key.
 * @throws Problem INVALID_TOKEN
 */
export async function leavingFlow(ctx: Ctx, { state, browser }: { state: string; browser: string | undefined }) {
  const stateHash = hashSecret(state);
  const row = await ctx.db
    .selectFrom('upstream_flows')
    .select(['project_id', 'provider_id', 'browser_hash', 'sealed'])
    .where(acrossProjects(ctx))
    .where('state_hash', '=', stateHash)
    .where('expires_at', '>', ctx.now)
    .executeTakeFirst();
  return openFlow(ctx, row, { stateHash, browser });
}

/**
 * Keeps the response that a party posted. The cookie of the browser did not come with it, because another site posted it;
 * it comes with the redirect that follows, and only then the response is read.
 * @returns false if there is no such flow, or it has a response
 */
export async function keepResponse(
  ctx: Ctx,
  { state, partyId, message }: { state: string; partyId: PartyId; message: string },
): Promise<boolean> {
  const stateHash = hashSecret(state);
  const sealed = ctx.system.keyring.seal(message, SEALED_RESPONSE, stateHash.toString('hex'));
  const { numUpdatedRows } = await transaction(ctx, (tx) =>
    tx.db
      .updateTable('upstream_flows')
      .set({ response_sealed: sealed })
      .where(acrossProjects(tx))
      .where('state_hash', '=', stateHash)
      .where('provider_id', '=', partyId)
      .where('response_sealed', 'is', null)
      .where('expires_at', '>', tx.now)
      .executeTakeFirstOrThrow(),
  );
  return numUpdatedRows === 1n;
}

/** Deletes the linkings at a provider that a user has started. Served by upstream_flows_of_user. */
export async function removeUpstreamFlowsOf(tx: TxCtx, userId: UserId): Promise<void> {
  await tx.db.deleteFrom('upstream_flows').where(acrossProjects(tx)).where('user_id', '=', userId).execute();
}
