import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { checkPolicy, createUser, Email, findIdentifier, hashPassword, normalise, Password } from '#identity';
import { addMember } from '#members';
import { type Ctx, type TxCtx, transaction } from '#platform/ctx.ts';
import { Problem, problem } from '#platform/problem.ts';
import { type SessionAnswer, sessionAnswer } from '#sessions';
import { projectOf } from '#tenancy';
import { scopeFields } from './scope.ts';
import { signIn } from './sign-in.ts';
import { openDecoyFlow, openFlow, type VerificationChallenge } from './verifications.ts';

const name = Type.String({ minLength: 1, maxLength: 200 });

const RegistrationProfile = Type.Object(
  {
    displayName: Type.Optional(name),
    givenName: Type.Optional(name),
    familyName: Type.Optional(name),
    locale: Type.Optional(Type.String({ maxLength: 35, pattern: '^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$' })),
  },
  { additionalProperties: false },
);

export const Registration = Type.Object(
  { email: Email, password: Password, profile: Type.Optional(RegistrationProfile), ...scopeFields },
  { additionalProperties: false },
);
type Registration = Static<typeof Registration>;

/** What is kept, encrypted, until the address is proven. */
const PendingUser = Type.Object({ email: Type.String(), passwordHash: Type.String(), profile: RegistrationProfile });
type PendingUser = Static<typeof PendingUser>;

/**
 * Registers a customer. Where the address must be verified first, no account exists until it is: nobody can hold an address,
 * or set a password on an account, that another person proves later.
 * @throws Problem REGISTRATION_CLOSED, WEAK_PASSWORD, ALREADY_EXISTS (where enumeration protection is off)
 */
export async function register(
  ctx: Ctx,
  request: Registration,
): Promise<SessionAnswer | Static<typeof VerificationChallenge>> {
  const { settings } = await projectOf(ctx.system, ctx.scope);
  if (settings.registration !== 'open') throw problem('REGISTRATION_CLOSED');
  checkPolicy(settings, request.password);
  const pending: PendingUser = {
    email: normalise(request.email),
    passwordHash: await hashPassword(ctx.system, request.password),
    profile: request.profile ?? {},
  };
  if (settings.emailVerification === 'off') return registerAtOnce(ctx, pending);
  const known = await findIdentifier(ctx, pending.email);
  if (known && !settings.enumerationProtection)
    throw problem('ALREADY_EXISTS', 'This email address belongs to an account already. Sign in instead.');
  return transaction(ctx, (tx) =>
    known
      ? openDecoyFlow(tx, pending.email)
      : openFlow(tx, { purpose: 'register', address: pending.email, userId: null, pending }),
  );
}

async function registerAtOnce(ctx: Ctx, pending: PendingUser): Promise<SessionAnswer> {
  const { entry, refresh } = await transaction(ctx, (tx) => createMemberAndSignIn(tx, pending, false, ['pwd']));
  return sessionAnswer(ctx, entry, refresh);
}

async function createMemberAndSignIn(tx: TxCtx, pending: PendingUser, emailVerified: boolean, amr: string[]) {
  const userId = await createUser(tx, { ...pending, emailVerified });
  await addMember(tx, userId);
  return signIn(tx, userId, { amr, acr: 'aal1' });
}

/**
 * Makes the account of a registration whose address was just proven.
 * @throws Problem ALREADY_EXISTS when the owner of the address finished another registration meanwhile
 */
export async function finishRegistration(tx: TxCtx, pending: unknown) {
  try {
    return await createMemberAndSignIn(tx, Value.Parse(PendingUser, pending), true, ['pwd', 'otp']);
  } catch (error) {
    if (error instanceof Problem && error.code === 'ALREADY_EXISTS')
      throw problem('ALREADY_EXISTS', 'This address has an account by now. Sign in instead.');
    throw error;
  }
}
