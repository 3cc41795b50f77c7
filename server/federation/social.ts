import { timingSafeEqual } from 'node:crypto';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { type ProviderId, type UpstreamProvider, upstreamProvider } from '#applications';
import { authAddressOf } from '#domains';
import { projectOf } from '#environments';
import { Binding, challengeOf, issueExchangeCode } from '#exchange';
import { findIdentifier, unprovenSince } from '#identifiers';
import { findLinkedUser, identityUsed, linkIdentity, UpstreamIdentity } from '#linked-identities';
import { addMember } from '#members';
import { createUser } from '#people';
import { type Ctx, type Environment, type TxCtx, transaction } from '#platform/ctx.ts';
import { parseEmail } from '#platform/email-address.ts';
import { normalise } from '#platform/identifiers.ts';
import { IdSchema, type ProjectId, type UserId, type WorkspaceId } from '#platform/ids.ts';
import { hashSecret, randomSecret } from '#platform/keyring.ts';
import { problem } from '#platform/problem.ts';
import { acrossProjects, at, scopeColumns } from '#platform/scoped.ts';
import { hintOf } from '#proofs';
import { isClosed } from '#tenancy';
import { type FirstFactor, type Passage, requireOpenRegistration, type SignedIn, signIn } from '#ways';
import { authorizationUrl, identityFrom, type UpstreamRequest } from './upstream.ts';

type UpstreamFlowsTable = {
  workspace_id: WorkspaceId;
  environment: Environment;
  state_hash: Buffer;
  project_id: ProjectId;
  provider_id: ProviderId;
  browser_hash: Buffer;
  sealed: string;
  user_id: UserId | null;
  expires_at: Date;
};

declare module '#platform/db.ts' {
  interface Tables {
    upstream_flows: UpstreamFlowsTable;
  }
}

const SEALED = 'upstream-flow';
const FLOW_SECONDS = 600;
const CODE_SECONDS = 60;
const LINK_SECONDS = 600;

const nullableText = Type.Union([Type.String(), Type.Null()]);

/** The user to link the identity to, and the session that started it; null: to sign in. */
const LinkTo = Type.Union([Type.Object({ userId: IdSchema('usr'), sessionId: IdSchema('ses') }), Type.Null()]);
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
});
type Away = Static<typeof Away>;

/** The content of an exchange code for a sign-in at a provider. */
export const UpstreamResult = Type.Object({ identity: UpstreamIdentity, binding: Binding, linkTo: LinkTo });
type UpstreamResult = Static<typeof UpstreamResult>;

/** The content of a link token: an identity, and the account that must be proven before it is linked. */
export const AskedLink = Type.Object({ identity: UpstreamIdentity, linkTo: IdSchema('usr') });
type AskedLink = Static<typeof AskedLink>;

/** Where an application's sign-in ends, and how it is bound. */
export type SocialStart = {
  redirectUri: string;
  appState: string | null;
  binding: Binding;
  linkTo: LinkTo;
  loginHint: string | null;
  /** A secret of this browser, required to finish the flow. */
  browser: string;
};

/** The callback address for the provider, on the auth address from which the browser left. */
async function callbackOf(ctx: Ctx, provider: { key: string }): Promise<string> {
  return `${await authAddressOf(ctx)}/v1/auth/login/social/${provider.key}/callback`;
}

/**
 * Stores the flow and returns the provider's address.
 * @throws Problem SERVICE_UNAVAILABLE if the provider does not respond
 */
export async function startUpstreamFlow(ctx: Ctx, provider: UpstreamProvider, start: SocialStart): Promise<string> {
  const { routingKey } = await projectOf(ctx.system, ctx.scope);
  const request = { state: `lku_${routingKey}_${randomSecret()}`, nonce: randomSecret(), verifier: randomSecret() };
  const { redirectUri, appState, binding, linkTo, loginHint, browser } = start;
  const away: Away = { ...request, redirectUri, appState, binding, linkTo };
  const url = await authorizationUrl(ctx, provider, {
    ...request,
    challenge: challengeOf(request.verifier),
    loginHint,
    callback: await callbackOf(ctx, provider),
  }).catch((cause: unknown) => {
    throw problem('SERVICE_UNAVAILABLE', {
      detail: `${provider.name} is not responding. Try another way to sign in.`,
      cause,
    });
  });
  const stateHash = hashSecret(request.state);
  await transaction(ctx, (tx) =>
    tx.db
      .insertInto('upstream_flows')
      .values({
        ...scopeColumns(tx),
        state_hash: stateHash,
        provider_id: provider.id,
        browser_hash: hashSecret(browser),
        sealed: tx.system.keyring.seal(JSON.stringify(away), SEALED, stateHash.toString('hex')),
        user_id: linkTo?.userId ?? null,
        expires_at: new Date(tx.now.getTime() + FLOW_SECONDS * 1000),
      })
      .execute(),
  );
  return url;
}

type CameBack = { ctx: Ctx; away: Away; provider: UpstreamProvider };

/**
 * Spends the stored flow of a browser that returns. It must be the same browser, returning from the provider it was
 * sent to: each provider has its own callback address (mix-up; RFC 9700 §4.4.2.2).
 * @throws Problem INVALID_TOKEN
 */
export async function comeBack(
  ctx: Ctx,
  { key, state, browser }: { key: string; state: string; browser: string | undefined },
): Promise<CameBack> {
  const stateHash = hashSecret(state);
  const row = await transaction(ctx, (tx) =>
    tx.db
      .deleteFrom('upstream_flows')
      .where(acrossProjects(tx))
      .where('state_hash', '=', stateHash)
      .where('expires_at', '>', tx.now)
      .returning(['project_id', 'provider_id', 'browser_hash', 'sealed'])
      .executeTakeFirst(),
  );
  const stale =
    'This sign-in was not started in this browser, is over, or took too long. Start again in the application.';
  if (!row || browser === undefined || !timingSafeEqual(hashSecret(browser), row.browser_hash))
    throw problem('INVALID_TOKEN', stale);
  const inProject: Ctx = at(ctx, { projectId: row.project_id });
  if (await isClosed(ctx.system, inProject.scope)) throw problem('INVALID_TOKEN', stale);
  const provider = await upstreamProvider(inProject, { by: 'id', value: row.provider_id });
  if (provider.key !== key) throw problem('INVALID_TOKEN', stale);
  const away: unknown = JSON.parse(ctx.system.keyring.open(row.sealed, SEALED, stateHash.toString('hex')));
  // A flow stored by an older version has to start again.
  if (!Value.Check(Away, away)) throw problem('INVALID_TOKEN', stale);
  return { ctx: inProject, away, provider };
}

/** Whether the project still offers the provider when the browser returns. */
export async function isOffered({ ctx, provider }: CameBack): Promise<boolean> {
  const { settings } = await projectOf(ctx.system, ctx.scope);
  return provider.enabled && settings.signInMethods.includes('social');
}

/** Reads the identity from the provider, and issues the code that the application exchanges. */
export async function finishUpstream({ ctx, away, provider }: CameBack, returned: URL): Promise<string> {
  const request: UpstreamRequest = { ...away, challenge: '', loginHint: null };
  const identity = await identityFrom(ctx, provider, { request, returned });
  const content: UpstreamResult = { identity, binding: away.binding, linkTo: away.linkTo };
  // The user confirms a linking first; its code works only in the session that started it, so it may live longer.
  const [purpose, seconds] =
    away.linkTo === null ? (['upstream', CODE_SECONDS] as const) : (['link', LINK_SECONDS] as const);
  return transaction(ctx, async (tx) => {
    const userId = away.linkTo?.userId ?? (await findLinkedUser(tx, identity)) ?? null;
    return issueExchangeCode(tx, { purpose, content, userId, seconds });
  });
}

/** Deletes the linkings at a provider that a user has started. Served by upstream_flows_of_user. */
export async function removeUpstreamFlowsOf(tx: TxCtx, userId: UserId): Promise<void> {
  await tx.db.deleteFrom('upstream_flows').where(acrossProjects(tx)).where('user_id', '=', userId).execute();
}

/** The response when a verified address belongs to an account that is not linked yet. */
export const LinkRequired = Type.Object({
  status: Type.Literal('link_required'),
  linkToken: Type.String({
    description: 'Sign in to the account in another way, then `POST /v1/me/linked-identities` with it as `linkToken`.',
  }),
  hint: Type.String({ description: 'The address, mostly hidden.' }),
  expiresIn: Type.Integer({ description: 'Seconds.' }),
});

/** A verified address whose account has no verified address: a code is sent to it, which finishes the sign-in. */
export type Unproven = { unproven: { userId: UserId; address: string; identity: UpstreamIdentity } };

/**
 * Signs in the user of an identity, found by issuer and subject alone. A verified address that has an account requires
 * a proof of that account first; an unverified address is ignored (AU-8; ASVS 6.8.1). If the account's own address is
 * not verified, its creator may not be its owner: then the address must be proven, not the account.
 * @throws Problem REGISTRATION_CLOSED, MEMBER_BLOCKED, MEMBERSHIP_REQUIRED
 */
export async function enterUpstream(
  tx: TxCtx,
  { identity }: UpstreamResult,
  { way, deviceToken }: { way: Passage; deviceToken: string | undefined },
): Promise<SignedIn | Static<typeof LinkRequired> | Unproven> {
  const first: FirstFactor = { way, amr: ['fed'], acr: 'aal1' };
  const linked = await findLinkedUser(tx, identity);
  if (linked) {
    await identityUsed(tx, identity);
    return signIn(tx, linked, first, { deviceToken });
  }
  const email = identity.email !== null && identity.emailVerified ? normalise(identity.email) : null;
  const owner = email?.kind === 'email' ? await findIdentifier(tx, email) : undefined;
  if (owner && (await unprovenSince(tx, owner.userId, owner.value)))
    return { unproven: { userId: owner.userId, address: owner.value, identity } };
  if (owner) return askForProof(tx, { identity, linkTo: owner.userId }, owner.value);
  await requireOpenRegistration(tx);
  // A provider's email claim is used only if it is a valid address.
  const address = email === null ? null : parseEmail(email.value);
  const userId = await createUser(tx, {
    address: address === null ? null : { kind: 'email', value: address, verified: true },
    passwordHash: null,
    profile: profileOf(identity),
  });
  await linkIdentity(tx, userId, identity);
  await addMember(tx, userId);
  return signIn(tx, userId, first);
}

async function askForProof(tx: TxCtx, content: AskedLink, address: string) {
  return {
    status: 'link_required' as const,
    linkToken: await issueExchangeCode(tx, {
      purpose: 'link_token',
      content,
      userId: content.linkTo,
      seconds: LINK_SECONDS,
    }),
    hint: hintOf(address),
    expiresIn: LINK_SECONDS,
  };
}

function profileOf({ name, givenName, familyName, profile }: UpstreamIdentity) {
  return {
    ...profile,
    ...(name !== null && { displayName: name }),
    ...(givenName !== null && { givenName }),
    ...(familyName !== null && { familyName }),
  };
}
