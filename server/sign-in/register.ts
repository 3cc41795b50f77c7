import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { requireMayRegister } from '#actions';
import { proofField } from '#attempts';
import { projectOf } from '#environments';
import type { EventCount } from '#events';
import { findIdentifier } from '#identifiers';
import { acceptInvitation, findInvitation, revokeUnbacked } from '#invitations';
import { addMember } from '#members';
import { checkPolicy, hashPassword, Password } from '#passwords';
import { createUser } from '#people';
import type { Ctx, TxCtx } from '#platform/ctx.ts';
import { Email, normalise, normaliseEmail, normalisePhone, Phone } from '#platform/identifiers.ts';
import { Problem, problem } from '#platform/problem.ts';
import { profileFields } from '#platform/profile-fields.ts';
import {
  type NewAddressChallenge,
  type ProvenAddressChallenge,
  startAddressChallenge,
  type VerificationChallenge,
  verificationChallenge,
} from '#proofs';
import { beginRegistration, createdByRegistration, provenRegistration } from '#registrations';
import {
  type FirstFactor,
  Passage,
  requireMethod,
  requireOpenRegistration,
  type SignedIn,
  type SignInResponse,
  signedIn,
  signIn,
  signInFields,
} from '#ways';

const { username: _username, customData: _customData, ...profile } = profileFields;

export const RegistrationProfile = Type.Partial(Type.Object(profile), { additionalProperties: false });

export const InvitationToken = Type.String({ pattern: '^lki_[a-z0-9]{8}_[A-Za-z0-9_-]{43}$' });

export const Registration = Type.Object(
  {
    email: Type.Optional(Email),
    phone: Type.Optional(Phone),
    password: Type.Optional(Password),
    profile: Type.Optional(RegistrationProfile),
    invitationToken: Type.Optional(InvitationToken),
    ...proofField,
    ...signInFields,
  },
  { additionalProperties: false },
);
type Registration = Static<typeof Registration>;

/** The registration, kept encrypted until the address is proven. */
const PendingUser = Type.Object({
  passwordHash: Type.Union([Type.String(), Type.Null()]),
  profile: RegistrationProfile,
});
type PendingUser = Static<typeof PendingUser>;

type Address = { kind: 'email' | 'phone'; value: string };

/**
 * Registers a customer. If the address must be verified first, no account exists until then: nobody can reserve an
 * address, or set a password on an account, that another person proves later. An invitation proves the address.
 * @param browser the mark of the browser in which it starts
 * @throws Problem REGISTRATION_CLOSED, WEAK_PASSWORD, METHOD_DISABLED, INVALID_TOKEN, CONFLICT, ALREADY_EXISTS (if
 * enumeration protection is off), MEMBERSHIP_REQUIRED (if the project was closed meanwhile)
 */
export async function register(
  ctx: Ctx,
  request: Registration,
  browser: string | undefined,
): Promise<SignInResponse | Static<typeof VerificationChallenge>> {
  const { invitationToken } = request;
  const way = new Passage(ctx, invitationToken === undefined ? 'registration' : 'invited_registration');
  await way.open(ctx, request);
  if (invitationToken !== undefined) {
    await requireInvited(ctx, invitationToken, request.email);
    return registerInvited(ctx, { ...request, invitationToken }, way);
  }
  const address = addressOf(request);
  const pending = way.passed('new_password', await pendingUser(ctx, request, address));
  const user = { address: { ...address, verified: false }, ...pending };
  await requireMayRegister(ctx, { entrance: 'registration', ...user });
  const { settings } = await projectOf(ctx.system, ctx.scope);
  const verified = settings.emailVerification === 'off' && address.kind === 'email' && pending.passwordHash !== null;
  if (!way.passed('address', verified)) return verifyFirst(ctx, address, { pending, browser });
  return signedIn(ctx, async (tx) => {
    const counts = await beginRegistration(tx, address.value);
    return createMemberAndSignIn(tx, { ...user, counts }, { way, amr: ['pwd'], acr: 'aal1' });
  });
}

/** @throws Problem INVALID_TOKEN for an invitation to another project, CONFLICT for an address that was not invited */
async function requireInvited(ctx: Ctx, token: string, email: string | undefined): Promise<void> {
  const invitation = await findInvitation(ctx, token);
  if (invitation.projectId !== ctx.scope.projectId) throw problem('INVALID_TOKEN');
  if (email !== undefined && normalise(email).value !== normalise(invitation.email).value)
    throw problem('CONFLICT', 'The invitation is for a different address. Register with the invited one.');
}

/** @throws Problem VALIDATION_FAILED unless exactly one address is given */
function addressOf({ email, phone }: Registration): Address {
  if (email !== undefined && phone === undefined) return { kind: 'email', value: normaliseEmail(email) };
  if (phone !== undefined && email === undefined) return { kind: 'phone', value: normalisePhone(phone) };
  const message = 'expected either `email` or `phone`';
  throw problem('VALIDATION_FAILED', { extensions: { errors: [{ pointer: '/body/email', message }] } });
}

/** Checks the password; without one, the project must offer another sign-in method for the address. */
async function pendingUser(
  ctx: Ctx,
  { password, profile = {} }: Pick<Registration, 'password' | 'profile'>,
  address: Address,
): Promise<PendingUser> {
  return { passwordHash: await passwordHashOf(ctx, password, address), profile };
}

/**
 * Checks and hashes a chosen password; null without one.
 * @throws Problem WEAK_PASSWORD, METHOD_DISABLED, VALIDATION_FAILED
 */
export async function passwordHashOf(ctx: Ctx, password: string | undefined, address: Address): Promise<string | null> {
  if (password === undefined) {
    await requireCodeMethod(ctx, address);
    return null;
  }
  await requireMethod(ctx, 'password');
  const { settings } = await projectOf(ctx.system, ctx.scope);
  await checkPolicy(ctx, settings, password, [address.value]);
  return hashPassword(ctx, password);
}

async function requireCodeMethod(ctx: Ctx, { kind }: Address): Promise<void> {
  if (kind === 'phone') return requireMethod(ctx, 'phone');
  const { settings } = await projectOf(ctx.system, ctx.scope);
  const open = (['magic_link', 'email_code', 'passkey', 'social'] as const).some((method) =>
    settings.signInMethods.includes(method),
  );
  if (open) return;
  const message = 'is required: the project signs people in with passwords only';
  throw problem('VALIDATION_FAILED', { extensions: { errors: [{ pointer: '/body/password', message }] } });
}

type Begun = { pending: PendingUser; browser: string | undefined };

async function verifyFirst(ctx: Ctx, address: Address, { pending, browser }: Begun) {
  const { settings } = await projectOf(ctx.system, ctx.scope);
  const known = await findIdentifier(ctx, address);
  if (known && !settings.enumerationProtection)
    throw problem('ALREADY_EXISTS', `This ${address.kind} already belongs to an account. Sign in instead.`);
  const challenge: NewAddressChallenge = {
    purpose: 'register',
    channel: address.kind,
    address: address.value,
    userId: null,
    pending,
    browser,
    locale: pending.profile.locale ?? null,
    ...(known && { decoy: { tell: true } }),
  };
  return verificationChallenge(ctx, challenge, await startAddressChallenge(ctx, challenge));
}

/**
 * Creates the account of an invited person; the mailed token proves the address.
 * @throws Problem INVALID_TOKEN, WEAK_PASSWORD, ALREADY_EXISTS
 */
export async function registerInvited(
  ctx: Ctx,
  request: Pick<Registration, 'password' | 'profile' | 'deviceToken'> & { invitationToken: string },
  way = new Passage(ctx, 'invitation'),
): Promise<SignInResponse> {
  await revokeUnbacked(ctx, request.invitationToken);
  const { email } = way.passed('credential', await findInvitation(ctx, request.invitationToken));
  const address: Address = { kind: 'email', value: email };
  const pending = way.passed('new_password', await pendingUser(ctx, request, address));
  const amr = pending.passwordHash === null ? ['otp'] : ['pwd', 'otp'];
  return signedIn(ctx, async (tx) => {
    const userId = await createUser(tx, { address: { ...address, verified: true }, ...pending });
    await acceptInvitation(tx, request.invitationToken, userId);
    return signIn(tx, userId, { way, amr, acr: 'aal1' }, { deviceToken: request.deviceToken });
  });
}

async function createMemberAndSignIn(
  tx: TxCtx,
  user: PendingUser & { address: Address & { verified: boolean }; counts: readonly EventCount[] },
  first: FirstFactor,
): Promise<SignedIn> {
  const userId = await createUser(tx, user);
  await createdByRegistration(tx, user.address.value, userId);
  await addMember(tx, userId);
  return signIn(tx, userId, first);
}

/**
 * Creates the account of a registration whose address was just proven. A password takes effect only for the person who
 * chose it: one chosen in another browser than the one that proves the address is discarded.
 * @param chosen the hash of the password chosen with the proof, in another browser
 * @throws Problem REGISTRATION_CLOSED, ALREADY_EXISTS if the owner of the address finished another registration meanwhile
 */
export async function finishRegistration(
  tx: TxCtx,
  {
    channel,
    address,
    pending,
    begunHere,
  }: Pick<ProvenAddressChallenge, 'channel' | 'address' | 'pending' | 'begunHere'>,
  chosen: string | null,
): Promise<SignedIn> {
  const { profile, passwordHash: begunWith } = Value.Parse(PendingUser, pending);
  const passwordHash = begunHere ? begunWith : chosen;
  const proof = channel === 'phone' ? 'sms' : 'otp';
  const amr = passwordHash === null ? [proof] : ['pwd', proof];
  const way = new Passage(tx, 'verified_registration');
  way.passed('credential', pending);
  way.passed('registration', await requireOpenRegistration(tx));
  const counts = await provenRegistration(tx, address);
  try {
    return await createMemberAndSignIn(
      tx,
      { address: { kind: channel, value: address, verified: true }, passwordHash, profile, counts },
      { way, amr, acr: 'aal1' },
    );
  } catch (error) {
    if (error instanceof Problem && error.code === 'ALREADY_EXISTS')
      throw problem('ALREADY_EXISTS', 'This address already has an account. Sign in instead.');
    throw error;
  }
}

/** Whether a password was chosen when the registration started. */
export function registeredPassword(pending: unknown): boolean {
  return Value.Check(PendingUser, pending) && pending.passwordHash !== null;
}
