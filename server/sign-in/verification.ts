import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { projectOf } from '#environments';
import { emit } from '#events';
import { findIdentifier, markVerified, unprovenSince } from '#identifiers';
import { linkIdentity, UpstreamIdentity } from '#linked-identities';
import { findPassword, setPassword } from '#passwords';
import type { Ctx, TxCtx } from '#platform/ctx.ts';
import { announce } from '#platform/feed.ts';
import type { UserId } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import type { LinkProof, Proof, Purpose } from '#proofs';
import { lookAtLink, type ProvenAddressChallenge, withProof } from '#proofs';
import { Passage, requireMethod, type SignedIn, type SignInResponse, signIn, signInResponse } from '#ways';
import { finishRegistration, passwordHashOf, registeredPassword } from './register.ts';
import { takeOver } from './take-over.ts';

/** The purposes of a challenge that can be finished here. */
const VERIFYING: readonly Purpose[] = ['register', 'verify_email'];

/** A sign-in at a provider that waits for the proof of its address. */
const AtProvider = Type.Object({ identity: UpstreamIdentity });

type Finish = { deviceToken?: string | undefined; password?: string | undefined };

/**
 * Proves an address with the code or link that was sent to it, and signs in. A link opened in another browser than the
 * one that requested it proves the address and nothing else: the password chosen or the identity used in the first
 * browser is discarded, because it may be another person's. The person may choose a password of their own.
 * @throws Problem INVALID_CODE, INVALID_TOKEN, ALREADY_EXISTS, MEMBER_BLOCKED, MEMBERSHIP_REQUIRED; for the password
 * WEAK_PASSWORD, METHOD_DISABLED, and VALIDATION_FAILED if it is missing and the project has no other sign-in method
 */
export async function verifyAddress(
  ctx: Ctx,
  proof: Proof,
  { deviceToken, password }: Finish,
): Promise<SignInResponse> {
  const passwordHash = 'token' in proof ? await chosenElsewhere(ctx, proof, password) : null;
  const result = await withProof(ctx, { proof, purposes: VERIFYING }, (tx, challenge) =>
    challenge.purpose === 'register'
      ? finishRegistration(tx, challenge, passwordHash)
      : confirmAddress(tx, challenge, { deviceToken, passwordHash }),
  );
  return signInResponse(ctx, result);
}

/**
 * The content of a link's page. `choosePassword`: a password was chosen in another browser, where it started.
 * @throws Problem INVALID_TOKEN
 */
export async function lookAtVerification(ctx: Ctx, proof: LinkProof) {
  const link = await lookAtLink(ctx, proof, VERIFYING);
  const { settings } = await projectOf(ctx.system, ctx.scope);
  const dropped =
    link.userId === null
      ? registeredPassword(link.pending)
      : (await unprovenSince(ctx, link.userId, link.address)) && (await findPassword(ctx, link.userId));
  return {
    ...link,
    choosePassword: !link.begunHere && Boolean(dropped) && settings.signInMethods.includes('password'),
  };
}

async function chosenElsewhere(ctx: Ctx, proof: LinkProof, password: string | undefined): Promise<string | null> {
  const { choosePassword, channel, address } = await lookAtVerification(ctx, proof);
  return choosePassword ? passwordHashOf(ctx, password, { kind: channel, value: address }) : null;
}

/**
 * The password was right, or a provider vouched for the address, when the challenge was opened. An email code is no
 * second factor (AU-5).
 */
async function confirmAddress(
  tx: TxCtx,
  challenge: ProvenAddressChallenge,
  { deviceToken, passwordHash }: { deviceToken: string | undefined; passwordHash: string | null },
): Promise<SignedIn> {
  const { userId, channel, address, begunHere, pending } = challenge;
  const owner = await findIdentifier(tx, { kind: channel, value: address });
  if (userId === null || owner?.userId !== userId) throw problem('INVALID_CODE');
  const upstream = Value.Check(AtProvider, pending) ? pending.identity : null;
  const way = new Passage(tx, upstream ? 'verified_identity' : 'verified_address');
  if (upstream) way.passed('method', await requireMethod(tx, 'social', upstream.provider));
  way.passed('credential', owner);
  const byPassword = begunHere && !upstream;
  const taken = await addressProven(tx, { userId, channel, address }, byPassword ? 'holder' : 'anybody');
  if (taken && passwordHash !== null) await setPassword(tx, userId, passwordHash);
  const linked = taken && begunHere && upstream;
  if (linked) await linkIdentity(tx, userId, linked);
  const amr = [...(byPassword ? ['pwd'] : []), ...(linked ? ['fed'] : []), 'otp'];
  return signIn(tx, userId, { way, amr, acr: 'aal1' }, { deviceToken });
}

type Proven = Pick<ProvenAddressChallenge, 'channel' | 'address'> & { userId: UserId };

/**
 * Records that an address was proven, if it still belongs to the user and was not verified before.
 * @param by `holder`: a person in a session of the account, or with its password. `anybody`: a person who reads
 * messages to the address; they take over an account that somebody else created with it
 * @returns whether the account was taken over
 */
export async function addressProven(
  tx: TxCtx,
  { userId, channel, address }: Proven,
  by: 'holder' | 'anybody',
): Promise<boolean> {
  const taken = by === 'anybody' && (await takeOver(tx, userId, address));
  if (!(await markVerified(tx, userId, address))) return false;
  if (channel === 'email') await emit(tx, 'user.email.verified', { userId, email: address });
  else await emit(tx, 'user.phone.verified', { userId });
  await announce(tx, { topic: 'user', key: userId });
  return taken;
}
