import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { proofField } from '#attempts';
import { projectOf } from '#environments';
import { Binding, CodeChallenge } from '#exchange';
import { findIdentifier } from '#identifiers';
import { addMember, membershipsByUser } from '#members';
import { createUser, usersById } from '#people';
import type { Ctx, TxCtx } from '#platform/ctx.ts';
import { parseEmail } from '#platform/email-address.ts';
import { KnownEmail, normalise, normaliseEmail, normalisePhone, Phone } from '#platform/identifiers.ts';
import { IdSchema, type UserId } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import {
  type AddressChallengeId,
  type NewAddressChallenge,
  type Proof,
  type ProvenAddressChallenge,
  type Purpose,
  withProof,
} from '#proofs';
import { createdByRegistration, provenRegistration } from '#registrations';
import { scopeFields } from '#requests';
import {
  askByMessage,
  type FirstFactor,
  Passage,
  requireOpenRegistration,
  type SignedIn,
  type SignInResponse,
  signIn,
  signInResponse,
} from '#ways';
import { addressProven } from './verification.ts';

type Passwordless = { channel: 'email' | 'phone'; purpose: Purpose };

/** The methods that prove an address: the message channel, and the purposes of the proof. */
const PASSWORDLESS = {
  magic_link: { asked: 'magic_link_asked', way: 'magic_link', channel: 'email', purpose: 'magic_link' },
  email_code: { asked: 'email_code_asked', way: 'email_code', channel: 'email', purpose: 'sign_in' },
  phone: { asked: 'phone_code_asked', way: 'phone_code', channel: 'phone', purpose: 'sign_in' },
} as const;
export type PasswordlessMethod = keyof typeof PASSWORDLESS;

export const EmailStart = Type.Object(
  { email: KnownEmail, ...proofField, ...scopeFields },
  {
    title: 'EmailStart',
    additionalProperties: false,
  },
);
export const PhoneStart = Type.Object({ phone: Phone, ...proofField, ...scopeFields }, { additionalProperties: false });
export const MagicLinkStart = Type.Object(
  {
    email: KnownEmail,
    redirectUri: Type.Optional(
      Type.String({
        maxLength: 2_000,
        description: 'A redirect URI of the application `clientId`: the link leads there with a one-time `code`.',
      }),
    ),
    state: Type.Optional(Type.String({ maxLength: 500 })),
    codeChallenge: Type.Optional(CodeChallenge),
    ...proofField,
    ...scopeFields,
  },
  { additionalProperties: false },
);

/**
 * The destination of a magic link, stored with its challenge. `ownPages`: a sign-in on our own pages, which continues
 * only in its own browser.
 */
export const Destination = Type.Object({
  redirectUri: Type.String(),
  state: Type.Union([Type.String(), Type.Null()]),
  binding: Binding,
  ownPages: Type.Boolean(),
});
export type Destination = Static<typeof Destination>;

type Started = { flowId: AddressChallengeId; expiresIn: number; resendAfter: number };
type Start = {
  address: string;
  proof?: string | undefined;
  pending?: Record<string, unknown>;
  /** The mark of the browser that requested the link. */
  browser?: string | undefined;
};

/**
 * Sends a code, or a link and a code. If registration is open, an unknown address becomes an account once it is proven;
 * otherwise nothing is sent, and the response is the same.
 * @throws Problem METHOD_DISABLED, RATE_LIMIT_EXCEEDED, VALIDATION_FAILED for an invalid phone number; ADDON_REQUIRED
 * and PLAN_LIMIT_EXCEEDED if no text message can be sent
 */
export function startPasswordless(ctx: Ctx, method: PasswordlessMethod, start: Start): Promise<Started> {
  const way = PASSWORDLESS[method];
  return askByMessage(ctx, way.asked, { proof: start.proof, flowOf: () => flowOf(ctx, way, start) });
}

async function flowOf(ctx: Ctx, way: Passwordless, { address, pending, browser }: Start): Promise<NewAddressChallenge> {
  const value = way.channel === 'email' ? knownEmail(address) : normalisePhone(address);
  const known = await findIdentifier(ctx, { kind: way.channel, value });
  const { settings } = await projectOf(ctx.system, ctx.scope);
  const userId = known?.userId ?? NOBODY;
  const status = (await membershipsByUser(ctx, [userId])).get(userId)?.status;
  const user = (await usersById(ctx, [userId])).get(userId);
  const welcome = known
    ? status === 'active' || settings.registration === 'open'
    : settings.registration === 'open' && (way.channel === 'phone' || parseEmail(value) !== null);
  return {
    purpose: way.purpose,
    channel: way.channel,
    address: value,
    userId: known?.userId ?? null,
    locale: user?.locale ?? null,
    ...(pending && { pending }),
    browser,
    ...(!welcome && { decoy: { tell: false } }),
  };
}

/**
 * An address as it is looked up. Addresses that {@link normaliseEmail} rejects are accepted only if an account has them
 * already.
 */
function knownEmail(typed: string): string {
  const { kind, value } = normalise(typed);
  return kind === 'email' ? value : normaliseEmail(typed);
}

const NOBODY: UserId = 'usr_00000000000000000000000000';

/**
 * Signs in with the code or link.
 * @throws Problem INVALID_CODE, INVALID_TOKEN, METHOD_DISABLED, REGISTRATION_CLOSED, MEMBER_BLOCKED
 */
export async function finishPasswordless(
  ctx: Ctx,
  method: PasswordlessMethod,
  { proof, deviceToken }: { proof: Proof; deviceToken?: string | undefined },
): Promise<SignInResponse> {
  const { way: name, channel, purpose } = PASSWORDLESS[method];
  const way = await new Passage(ctx, name).open(ctx);
  const result = await withProof(ctx, { proof, purposes: [purpose] }, (tx, challenge) => {
    // Codes by mail and by text message share a purpose, but a project may have switched off one of the methods.
    if (challenge.channel !== channel) throw problem('INVALID_CODE');
    return enterProven(tx, challenge, { way, deviceToken });
  });
  return signInResponse(ctx, result);
}

/** The user whose address was proven; a new account if there is none and registration is open. */
export async function enterProven(
  tx: TxCtx,
  challenge: ProvenAddressChallenge,
  { way, deviceToken }: { way: Passage; deviceToken: string | undefined },
): Promise<SignedIn> {
  const { channel, address } = way.passed('credential', challenge);
  const first: FirstFactor = { way, amr: [channel === 'phone' ? 'sms' : 'otp'], acr: 'aal1' };
  // Looked up again: the address may belong to a new or another account by now.
  const known = await findIdentifier(tx, { kind: channel, value: address });
  if (known) {
    if (challenge.userId !== null && challenge.userId !== known.userId) throw problem('INVALID_CODE');
    await addressProven(
      tx,
      { userId: known.userId, channel, address },
      begunBy(known.userId, challenge) ? 'holder' : 'anybody',
    );
    return signIn(tx, known.userId, first, { deviceToken });
  }
  if (challenge.userId !== null) throw problem('INVALID_CODE');
  await requireOpenRegistration(tx);
  const userId = await createUser(tx, {
    address: { kind: channel, value: address, verified: true },
    passwordHash: null,
    profile: {},
    counts: await provenRegistration(tx, address),
  });
  await createdByRegistration(tx, address, userId);
  await addMember(tx, userId);
  return signIn(tx, userId, first);
}

/**
 * Whether the flow was started by a user signed in to this account, for example to authenticate again, and proven in
 * the same browser.
 */
function begunBy(userId: UserId, { pending, begunHere }: ProvenAddressChallenge): boolean {
  return begunHere && Value.Check(BegunAs, pending) && pending.begunAs === userId;
}

/** The user who is signed in in the requesting browser; kept with the challenge. */
export const BegunAs = Type.Object({ begunAs: IdSchema('usr') });
