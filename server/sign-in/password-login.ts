import { type Static, Type } from 'typebox';
import { type CountedAttempt, countAttempt, proofField } from '#attempts';
import { projectOf } from '#environments';
import { emit } from '#events';
import { findSignInCandidate } from '#identifiers';
import {
  findPassword,
  hashPassword,
  holdPassword,
  isOutdated,
  Password,
  upgradeHash,
  verifyPassword,
} from '#passwords';
import { usersById } from '#people';
import { type Ctx, holdingNothing, transaction } from '#platform/ctx.ts';
import { Identifier, type NormalisedIdentifier, normalise } from '#platform/identifiers.ts';
import type { UserId } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import { startAddressChallenge, type VerificationChallenge, verificationChallenge } from '#proofs';
import { familiarityWith } from '#sessions';
import { Passage, personWith, type SignInResponse, signedIn, signIn, signInFields } from '#ways';
import { moveIn } from './moving.ts';

export const PasswordLogin = Type.Object(
  {
    identifier: Type.Optional(Identifier),
    email: Type.Optional(Type.String({ minLength: 1, maxLength: 254, description: 'Another name for `identifier`.' })),
    password: Password,
    ...proofField,
    ...signInFields,
  },
  { additionalProperties: false },
);
type PasswordLogin = Static<typeof PasswordLogin>;

/**
 * Signs in with a password. Unknown accounts cost the same work and get the same response as wrong passwords (ASVS
 * 6.3.8; AU-6).
 * @throws Problem INVALID_CREDENTIALS, ACCOUNT_THROTTLED, MEMBER_BLOCKED, MEMBERSHIP_REQUIRED, METHOD_DISABLED
 */
export async function loginWithPassword(
  ctx: Ctx,
  request: PasswordLogin,
  browser: string | undefined,
): Promise<SignInResponse | Static<typeof VerificationChallenge>> {
  const way = await new Passage(ctx, 'password').open(ctx, request);
  const identifier = normalise(request.identifier ?? request.email ?? '');
  if (!identifier.value)
    throw problem('VALIDATION_FAILED', {
      extensions: { errors: [{ pointer: '/body/identifier', message: 'is required' }] },
    });
  const known = await findSignInCandidate(ctx, identifier, (userId) => familiarityWith(ctx, userId));
  const familiarity = known?.about;
  const familiar = familiarity?.source === true && ctx.trace.ip !== null;
  const target = { way: 'password', userId: known?.userId ?? null, identifier, familiar } as const;
  const attempt = way.passed('attempts', await countAttempt(ctx, target));
  const candidate = way.passed('credential', await proven(ctx, { attempt, identifier, known }, request.password));
  if (!candidate) return refuse(ctx, attempt, known?.userId ?? null);
  attempt.forget();
  const { userId } = candidate;
  const checked = isOutdated(ctx.system, candidate.hash)
    ? await upgrade(ctx, { userId, hash: candidate.hash }, request.password)
    : candidate.hash;
  const { settings } = await projectOf(ctx.system, ctx.scope);
  const unproven = settings.emailVerification === 'required' && (await unprovenAddressOf(ctx, candidate, identifier));
  if (unproven) {
    const challenge = {
      purpose: 'verify_email',
      channel: 'email',
      address: unproven,
      userId,
      browser,
    } as const;
    return verificationChallenge(ctx, challenge, await startAddressChallenge(ctx, challenge));
  }
  way.passed('address', true);
  const { failures } = attempt;
  const options = { deviceToken: request.deviceToken, failures, familiarity };
  return signedIn(ctx, async (tx) => {
    // The password may have been changed during the check: no session may start with the old one.
    const held = await holdPassword(tx, { userId, hash: checked }, (id) => personWith(tx, settings, id));
    if (!held) throw problem('INVALID_CREDENTIALS');
    return signIn(tx, userId, { way, amr: ['pwd'], acr: 'aal1' }, { ...options, person: held.about });
  });
}

type Candidate = Omit<NonNullable<Awaited<ReturnType<typeof findSignInCandidate>>>, 'about'>;
type Claimed = { attempt: CountedAttempt; identifier: NormalisedIdentifier; known: Candidate | undefined };

/** The account with its password, if the given one is right: here, or in the system that the person comes from. */
async function proven(
  ctx: Ctx,
  { attempt, identifier, known }: Claimed,
  password: string,
): Promise<(Candidate & { hash: string }) | null> {
  const matches = await verifyPassword(ctx, attempt.allowed ? (known?.hash ?? null) : null, password);
  if (!attempt.allowed) return null;
  if (known?.hash && matches) return { ...known, hash: known.hash };
  const moved = await moveIn(ctx, { identifier, candidate: known, password });
  // Another sign-in may have moved the person in at the same time, with another password.
  if (!moved?.hash || !(await verifyPassword(await holdingNothing(ctx), moved.hash, password))) return null;
  return { ...moved, hash: moved.hash };
}

/** The account's email address if it is not verified yet, whichever identifier was typed. */
async function unprovenAddressOf(
  ctx: Ctx,
  { userId, value, verified }: { userId: UserId; value: string; verified: boolean },
  { kind }: NormalisedIdentifier,
): Promise<string | null> {
  if (kind === 'email') return verified ? null : value;
  const user = (await usersById(ctx, [userId])).get(userId);
  return user?.email && !user.emailVerified ? user.email : null;
}

async function refuse(ctx: Ctx, attempt: CountedAttempt, userId: UserId | null): Promise<never> {
  await transaction(ctx, (tx) => emit(tx, 'user.login_failed', { userId, reason: 'invalid_credentials' }));
  await attempt.failed();
  throw problem('INVALID_CREDENTIALS');
}

/**
 * Replaces a hash of another system, or a weaker one than today's, while the password is known (PW-8).
 * @returns the hash that the password has now
 */
async function upgrade(
  ctx: Ctx,
  { userId, hash }: { userId: UserId; hash: string },
  password: string,
): Promise<string> {
  const to = await hashPassword(ctx, password);
  if (await transaction(ctx, (tx) => upgradeHash(tx, userId, { from: hash, to }))) return to;
  // A second sign-in at the same time replaced the hash, or the password was changed.
  const now = (await findPassword(ctx, userId))?.hash ?? null;
  return now !== null && (await verifyPassword(ctx, now, password)) ? now : to;
}
