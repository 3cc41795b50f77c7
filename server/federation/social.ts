import { type Static, Type } from 'typebox';
import { projectOf } from '#environments';
import { Binding, issueExchangeCode } from '#exchange';
import { findIdentifier, unprovenSince } from '#identifiers';
import { type UpstreamProvider, upstreamProvider } from '#identity-providers';
import { findLinkedUser, identityUsed, linkIdentity, UpstreamIdentity } from '#linked-identities';
import { addMember } from '#members';
import { createUser } from '#people';
import { type Ctx, type TxCtx, transaction } from '#platform/ctx.ts';
import { parseEmail } from '#platform/email-address.ts';
import { normalise } from '#platform/identifiers.ts';
import { IdSchema, type UserId } from '#platform/ids.ts';
import { hintOf } from '#proofs';
import { type FirstFactor, type Passage, requireOpenRegistration, type SignedIn, signIn } from '#ways';
import { authorizationUrl, identityFrom, type UpstreamRequest } from './upstream.ts';
import { type Away, LinkTo, type Party, spendFlow, staleFlow } from './upstream-flows.ts';

const CODE_SECONDS = 60;
const LINK_SECONDS = 600;

/** The content of an exchange code for a sign-in at a provider. */
export const UpstreamResult = Type.Object({ identity: UpstreamIdentity, binding: Binding, linkTo: LinkTo });
type UpstreamResult = Static<typeof UpstreamResult>;

/** The content of a link token: an identity, and the account that must be proven before it is linked. */
export const AskedLink = Type.Object({ identity: UpstreamIdentity, linkTo: IdSchema('usr') });
type AskedLink = Static<typeof AskedLink>;

/** An identity provider of the project. */
export function providerParty(ctx: Ctx, provider: UpstreamProvider): Party {
  const { id, name, key } = provider;
  const callbackPath = `/v1/auth/login/social/${key}/callback`;
  return { id, name, callbackPath, addressFor: (request) => authorizationUrl(ctx, provider, request) };
}

type CameBack = { ctx: Ctx; away: Away; provider: UpstreamProvider };

/**
 * Spends the stored flow of a browser that returns, from the provider it was sent to.
 * @throws Problem INVALID_TOKEN
 */
export async function comeBack(
  realm: Ctx,
  { key, ...shown }: { key: string; state: string; browser: string | undefined },
): Promise<CameBack> {
  const { ctx, partyId, away } = await spendFlow(realm, shown);
  const provider = await upstreamProvider(ctx, { by: 'id', value: partyId });
  if (provider.key !== key) throw staleFlow();
  return { ctx, away, provider };
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

/** Asks for the proof of the account that an identity may be linked to. */
export async function askForProof(tx: TxCtx, content: AskedLink, address: string) {
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

/** The profile of a new person. */
export function profileOf({ name, givenName, familyName, profile }: UpstreamIdentity) {
  return {
    ...profile,
    ...(name !== null && { displayName: name }),
    ...(givenName !== null && { givenName }),
    ...(familyName !== null && { familyName }),
  };
}
