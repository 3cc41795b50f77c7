import { askForPassword, requireMayRegister } from '#actions';
import { emit } from '#events';
import { findSignInCandidate } from '#identifiers';
import { addMember, membershipsOf } from '#members';
import { findPassword, hashPassword, setPassword } from '#passwords';
import { createUser, lockUser } from '#people';
import { type Ctx, type TxCtx, transaction } from '#platform/ctx.ts';
import { type NormalisedIdentifier, normaliseEmail } from '#platform/identifiers.ts';
import type { UserId } from '#platform/ids.ts';
import { Problem } from '#platform/problem.ts';
import { familiarityWith } from '#sessions';

type Candidate = Omit<NonNullable<Awaited<ReturnType<typeof findSignInCandidate>>>, 'about'>;
type Attempt = { identifier: NormalisedIdentifier; candidate: Candidate | undefined; password: string };

/**
 * Moves a person in from another system at their first sign-in: the system says whether the password is right, and from
 * then on it is known here. A person is moved who has no account, or an imported one without a password that nobody has
 * used. Everybody else is never asked about; a decoy takes the same time.
 * @returns the person as they are found from now on; undefined if the password is wrong there, too
 * @throws Problem SERVICE_UNAVAILABLE while the other system gives no response, REFUSED_BY_ACTION
 */
export async function moveIn(ctx: Ctx, { identifier, candidate, password }: Attempt): Promise<Candidate | undefined> {
  const mayMove = candidate ? !candidate.hash && (await isUnused(ctx, candidate.userId)) : isEmail(identifier);
  const moved = await askForPassword(ctx, mayMove ? { identifier, password } : null);
  // An address that the other system has not verified may be somebody else's, and an imported account has an owner.
  if (!moved || (candidate && moved.emailVerified !== true)) return undefined;
  const { emailVerified = false, profile = {} } = moved;
  const address = { kind: 'email', value: identifier.value, verified: emailVerified } as const;
  if (!candidate) await requireMayRegister(ctx, { entrance: 'password', address, profile });
  const hash = await hashPassword(ctx, password);
  try {
    await transaction(ctx, async (tx) => {
      if (candidate) return keepPassword(tx, candidate.userId, hash);
      const userId = await createUser(tx, { address, passwordHash: hash, profile });
      await addMember(tx, userId);
      await emit(tx, 'user.moved_in', { userId, created: true });
    });
  } catch (error) {
    // Another sign-in moved the person at the same time.
    if (!(error instanceof Problem) || error.code !== 'ALREADY_EXISTS') throw error;
  }
  return findSignInCandidate(ctx, identifier, (userId) => familiarityWith(ctx, userId));
}

function isEmail({ kind, value }: NormalisedIdentifier): boolean {
  if (kind !== 'email') return false;
  try {
    return normaliseEmail(value) === value;
  } catch {
    return false;
  }
}

/** Whether nobody has signed in to an account, and no other project has it. */
async function isUnused(ctx: Ctx | TxCtx, userId: UserId): Promise<boolean> {
  const { items } = await membershipsOf.list(ctx, userId, { limit: 2 });
  const [only, other] = items;
  return !other && only?.projectId === ctx.scope.projectId && only.lastSeenAt === null;
}

async function keepPassword(tx: TxCtx, userId: UserId, hash: string): Promise<void> {
  await lockUser(tx, userId);
  if ((await findPassword(tx, userId)) || !(await isUnused(tx, userId))) return;
  await setPassword(tx, userId, hash);
  await emit(tx, 'user.moved_in', { userId, created: false });
}
