import { type DeviceId, isRemembered } from '#devices';
import { enrolledSecondFactors, guardingSecondFactors } from '#factors';
import { listIdentities } from '#linked-identities';
import { findMember } from '#members';
import { listPasskeys } from '#passkeys';
import { findPassword } from '#passwords';
import { usersById } from '#people';
import type { Ctx, TxCtx } from '#platform/ctx.ts';
import type { UserId } from '#platform/ids.ts';
import { type Problem, problem } from '#platform/problem.ts';
import { type ProvenEntry, reauthenticationRequired, type SessionProof } from '#sessions';
import { isClosed, projectOf } from '#tenancy';
import {
  type Decision,
  decide,
  dependsOnFactors,
  type Evidence,
  mustBeLookedAtAgain,
  type Refusal,
  usableFactors,
} from './decision.ts';
import type { Entrance } from './entrances.ts';

/** Who wants in, with what. */
export type Candidate = {
  userId: UserId;
  proof: Omit<SessionProof, 'rememberedDevice'>;
  /** The remembered device that stands for the second factor, looked for only where one is due. */
  device: () => Promise<DeviceId | null>;
  /** Their membership, where it is known already. */
  member?: Evidence['member'];
  party?: Evidence['party'];
  asked?: Partial<Evidence['asked']>;
};

/** A decision, with the device that stood for the second factor, if one did. */
type Admission = { decision: Decision; device: DeviceId | null };

/**
 * Decides whether a person may enter `ctx.scope`'s project through an entrance. The one place that does: {@link decide} is the
 * rule, and this reads what it needs, the person's factors only where they matter.
 */
export async function admit(ctx: Ctx | TxCtx, entrance: Entrance, candidate: Candidate): Promise<Admission> {
  const { userId, proof, party = 'first', asked } = candidate;
  const { settings } = await projectOf(ctx.system, ctx.scope);
  const evidence: Evidence = {
    project: {
      closed: await isClosed(ctx.system, ctx.scope),
      mfa: settings.mfa,
      registration: settings.registration,
      remembersDevices: settings.rememberDeviceSeconds > 0,
    },
    member: candidate.member === undefined ? ((await findMember(ctx, userId))?.status ?? null) : candidate.member,
    party,
    proof: { ...proof, age: (ctx.now.getTime() - proof.authTime.getTime()) / 1000, remembered: false },
    enrolled: [],
    otherWayIn: false,
    asked: { secondFactor: ctx.wantsSecondFactor ? 'wished' : 'no', maxAge: null, ...asked },
  };
  if (!dependsOnFactors(entrance, evidence)) return { decision: decide(entrance, evidence), device: null };
  return withFactors(ctx, entrance, { candidate, evidence });
}

async function withFactors(
  ctx: Ctx | TxCtx,
  entrance: Entrance,
  { candidate, evidence }: { candidate: Candidate; evidence: Evidence },
): Promise<Admission> {
  const { userId, proof } = candidate;
  // A level that is asked for is that of the account, whatever the project asks by itself.
  const read = evidence.asked.secondFactor === 'no' ? enrolledSecondFactors : guardingSecondFactors;
  const enrolled = (await read(ctx, userId)).map(({ type }) => type);
  if (enrolled.length === 0) return { decision: decide(entrance, evidence), device: null };
  const otherWayIn = usableFactors(enrolled, proof.amr).length === 0 && (await hasOtherWayIn(ctx, userId));
  const device = evidence.project.remembersDevices ? await candidate.device() : null;
  const remembered = device !== null;
  const decision = decide(entrance, { ...evidence, proof: { ...evidence.proof, remembered }, enrolled, otherWayIn });
  return { decision, device: decision.kind === 'admitted' && decision.by === 'remembered_device' ? device : null };
}

/** Whether the project has another way in for a person than a code to a phone. */
async function hasOtherWayIn(ctx: Ctx | TxCtx, userId: UserId): Promise<boolean> {
  const { signInMethods } = (await projectOf(ctx.system, ctx.scope)).settings;
  const open = (...methods: typeof signInMethods) => methods.some((method) => signInMethods.includes(method));
  const user = (await usersById(ctx, [userId])).get(userId);
  return (
    (open('password') && (await findPassword(ctx, userId)) !== undefined) ||
    (open('magic_link', 'email_code') && user?.email != null) ||
    (open('passkey') && (await listPasskeys(ctx, userId)).length > 0) ||
    (open('social') && (await listIdentities(ctx, userId)).length > 0)
  );
}

/** Of a session: the device that stands behind it, while it is remembered. */
export function deviceOfSession(ctx: Ctx | TxCtx, userId: UserId, { rememberedDevice }: SessionProof) {
  return async () =>
    rememberedDevice !== null && (await isRemembered(ctx, userId, rememberedDevice)) ? rememberedDevice : null;
}

/** {@link admit} where a session is used. @throws Problem REAUTHENTICATION_REQUIRED with `acr`, and what {@link refusal} makes */
export async function requireAdmitted(
  ctx: Ctx | TxCtx,
  entrance: Entrance,
  session: Omit<Candidate, 'device' | 'proof'> & { proof: SessionProof },
): Promise<void> {
  const { userId, proof } = session;
  const { decision } = await admit(ctx, entrance, { ...session, device: deviceOfSession(ctx, userId, proof) });
  if (decision.kind === 'refused') throw refusal(decision.because);
  if (decision.kind !== 'needs') return;
  throw reauthenticationRequired(decision.what === 'fresh_proof' ? {} : { acr: 'aal2' });
}

/**
 * Whether an entry that was admitted before may go on: it is decided again where the policy is stricter by now, without a
 * statement where it is not.
 * @returns whether it was decided again @throws as {@link requireAdmitted}
 */
export async function requireStillAdmitted(ctx: Ctx, entrance: Entrance, entry: ProvenEntry): Promise<boolean> {
  const { settings } = await projectOf(ctx.system, ctx.scope);
  const { userId, acr, admittedUnder: under, rememberedDevice } = entry;
  if (!mustBeLookedAtAgain(settings, { acr, under, remembered: rememberedDevice !== null })) return false;
  await requireAdmitted(ctx, entrance, { userId, proof: entry });
  return true;
}

const CODES = {
  closed: 'MEMBERSHIP_REQUIRED',
  blocked: 'MEMBER_BLOCKED',
  not_a_member: 'MEMBERSHIP_REQUIRED',
  third_party: 'WRONG_TOKEN_KIND',
} as const;

/** The problem that says why somebody is not let in. */
export function refusal(because: Refusal): Problem {
  if (because === 'unmet') return reauthenticationRequired({ acr: 'aal2' });
  if (because !== 'same_phone') return problem(CODES[because]);
  return problem(
    'METHOD_DISABLED',
    'This phone is the second factor of the account, so it cannot be the first. Sign in another way.',
  );
}
