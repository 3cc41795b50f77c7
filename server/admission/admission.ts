import { askToEnter, refusalOf } from '#actions';
import { connectionProofs, isConnection, type ThroughConnections } from '#connections';
import { type DeviceId, isRemembered } from '#devices';
import { projectOf } from '#environments';
import { enrolledSecondFactors, guardingSecondFactors, type SecondFactor } from '#factors';
import { listIdentities } from '#linked-identities';
import { membershipsByUser } from '#members';
import { listPasskeys } from '#passkeys';
import { findPassword } from '#passwords';
import { usersById } from '#people';
import { type Ctx, customerOf, type TxCtx } from '#platform/ctx.ts';
import type { OrganizationId, UserId } from '#platform/ids.ts';
import { type Problem, problem } from '#platform/problem.ts';
import { type EffectivePolicy, standingIn } from '#platform/standing.ts';
import { findSession, type ProvenEntry } from '#sessions';
import { reauthenticationRequired } from '#step-up';
import { isClosed } from '#tenancy';
import {
  type Decision,
  decide,
  dependsOnFactors,
  type Evidence,
  mustBeLookedAtAgain,
  type OrganizationRefusal,
  type Refusal,
  usableFactors,
} from './decision.ts';
import { asksActions, type Entrance } from './entrances.ts';
import { organizationRefusal } from './organization-refusals.ts';

type SessionProof = Pick<
  ProvenEntry,
  'amr' | 'acr' | 'authTime' | 'rememberedDevice' | 'signInMethods' | 'refreshedAt'
>;

/** The user who wants to enter, with their proof. */
export type Candidate = {
  userId: UserId;
  proof: Pick<SessionProof, 'amr' | 'acr' | 'authTime'> & Partial<SessionProof>;
  /** Looks up the remembered device that stands in for the second factor; called only if one is required. */
  device: () => Promise<DeviceId | null>;
  /** Their membership, if the caller has read it already. */
  member?: Evidence['member'];
  /** Their second factors for the project, if the caller has read them already. */
  enrolled?: readonly SecondFactor[];
  /** The organization of the project that they want to enter. */
  organizationId?: OrganizationId | null;
  party?: Evidence['party'];
  /** Whether the session is in the project already. Then the actions of the project were asked before. */
  isInside?: () => Promise<boolean>;
  asked?: Partial<Evidence['asked']>;
};

/** A decision, with the device that stood in for the second factor, if any. */
type Admission = { decision: Decision; device: DeviceId | null };

/**
 * Decides whether a user may enter `ctx.scope`'s project through an entrance. Every entrance calls it. {@link decide}
 * is the rule; this reads its input, and the user's factors only if they matter. Whom the rule admits, the project's
 * actions may still refuse.
 */
export async function admit(ctx: Ctx | TxCtx, entrance: Entrance, candidate: Candidate): Promise<Admission> {
  const admission = await byRule(ctx, entrance, candidate);
  if (admission.decision.kind !== 'admitted' || !asksActions(entrance)) return admission;
  if (await candidate.isInside?.()) return admission;
  const { userId, proof, organizationId = null } = candidate;
  const { amr, acr, signInMethods = [] } = proof;
  const verdict = await askToEnter(ctx, { userId, entrance, organizationId, proof: { amr, acr, signInMethods } });
  if (verdict.kind === 'allowed') return admission;
  const decision: Decision =
    verdict.kind === 'failed'
      ? { kind: 'refused', because: 'action_failed' }
      : { kind: 'refused', because: 'action', message: verdict.message };
  return { decision, device: null };
}

async function byRule(ctx: Ctx | TxCtx, entrance: Entrance, candidate: Candidate): Promise<Admission> {
  const { userId, proof, party = 'first', asked } = candidate;
  const { settings } = await projectOf(ctx.system, ctx.scope);
  const through = await connectionProofs.read(ctx, {
    userId,
    organizationId: candidate.organizationId ?? null,
    signInMethods: proof.signInMethods ?? [],
  });
  const organization = await organizationOf(ctx, entrance, { candidate, through });
  const { policy } = organization ?? {};
  const evidence: Evidence = {
    project: {
      closed: await isClosed(ctx.system, ctx.scope),
      mfa: policy?.mfaRequired ? 'required' : settings.mfa,
      registration: settings.registration,
      remembersDevices: settings.rememberDeviceSeconds > 0,
    },
    member:
      candidate.member === undefined
        ? ((await membershipsByUser(ctx, [userId])).get(userId)?.status ?? null)
        : candidate.member,
    organization: through.isForeign ? 'foreign_connection' : (organization?.refusal ?? null),
    party,
    proof: { amr: proof.amr, acr: proof.acr, age: ageOf(ctx, proof, policy), remembered: false },
    enrolled: [],
    otherWayIn: false,
    asked: {
      secondFactor: ctx.wantsSecondFactor ? 'wished' : 'no',
      ...asked,
      maxAge: shorter(asked?.maxAge ?? null, policy?.sessionAbsoluteSeconds ?? null),
    },
  };
  if (!dependsOnFactors(entrance, evidence)) return { decision: decide(entrance, evidence), device: null };
  return withFactors(ctx, entrance, { candidate, evidence });
}

type Inside = { refusal: OrganizationRefusal | null; policy: EffectivePolicy | undefined };

/** The policy of the organization that the user wants to enter, and why it refuses them; null if they enter none. */
async function organizationOf(
  ctx: Ctx | TxCtx,
  entrance: Entrance,
  { candidate, through }: { candidate: Candidate; through: ThroughConnections },
): Promise<Inside | null> {
  const { userId, proof, organizationId = null } = candidate;
  if (organizationId === null) return null;
  const standing = await standingIn(ctx, { organizationId, userId });
  // The token endpoint is called by the application's server, so the request does not have the person's address.
  const ip = entrance === 'oidc_token' ? undefined : ctx.trace.ip;
  const { signInMethods = [] } = proof;
  return { refusal: organizationRefusal(standing, { ip, signInMethods, through }), policy: standing?.policy };
}

/** The age of a proof in seconds; infinite if the session was idle for longer than the organization allows. */
function ageOf({ now }: Pick<Ctx, 'now'>, proof: Candidate['proof'], policy: EffectivePolicy | undefined): number {
  const since = (moment: Date) => (now.getTime() - moment.getTime()) / 1000;
  const idle = proof.refreshedAt ? since(proof.refreshedAt) : 0;
  return policy && idle > policy.sessionIdleSeconds ? Number.POSITIVE_INFINITY : since(proof.authTime);
}

function shorter(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other);
}

async function withFactors(
  ctx: Ctx | TxCtx,
  entrance: Entrance,
  { candidate, evidence }: { candidate: Candidate; evidence: Evidence },
): Promise<Admission> {
  const { userId, proof } = candidate;
  // If a level is requested, the account's factors count, whatever the project requires.
  const factors =
    evidence.asked.secondFactor === 'no'
      ? (candidate.enrolled ?? (await enrolledSecondFactors(ctx, userId)))
      : await guardingSecondFactors(ctx, userId);
  const enrolled = factors.map(({ type }) => type);
  if (enrolled.length === 0) return { decision: decide(entrance, evidence), device: null };
  const otherWayIn = usableFactors(enrolled, proof.amr).length === 0 && (await hasOtherWayIn(ctx, userId));
  const device = evidence.project.remembersDevices ? await candidate.device() : null;
  const remembered = device !== null;
  const decision = decide(entrance, { ...evidence, proof: { ...evidence.proof, remembered }, enrolled, otherWayIn });
  return { decision, device: decision.kind === 'admitted' && decision.by === 'remembered_device' ? device : null };
}

/** Whether the project offers the user a sign-in method other than a code to a phone. */
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

/** The remembered device of a session, if it is still remembered. */
export function deviceOfSession(ctx: Ctx | TxCtx, userId: UserId, { rememberedDevice }: SessionProof) {
  return async () =>
    rememberedDevice !== null && (await isRemembered(ctx, userId, rememberedDevice)) ? rememberedDevice : null;
}

/**
 * {@link admit} for an existing session.
 * @throws Problem REAUTHENTICATION_REQUIRED with `acr`, and the problems of {@link refusal}
 */
export async function requireAdmitted(
  ctx: Ctx | TxCtx,
  entrance: Entrance,
  session: Omit<Candidate, 'device' | 'proof'> & { proof: SessionProof },
): Promise<void> {
  const { userId, proof } = session;
  const { decision } = await admit(ctx, entrance, { ...session, device: deviceOfSession(ctx, userId, proof) });
  if (decision.kind === 'refused') throw refusal(decision);
  if (decision.kind !== 'needs') return;
  throw decision.what === 'fresh_proof' ? reauthenticationRequired() : reauthenticationRequired({ acr: 'aal2' });
}

/**
 * {@link requireAdmitted} for the session of the signed-in person and an organization of its project. The session need not
 * enter: what is done in the organization from outside takes the same proof.
 */
export async function requireEntering(ctx: Ctx, organizationId: OrganizationId): Promise<void> {
  const { userId, sessionId } = customerOf(ctx);
  const proof = await findSession(ctx, sessionId);
  if (!proof) throw problem('SESSION_REVOKED');
  await requireAdmitted(ctx, 'switch_context', { userId, organizationId, proof, isInside: async () => true });
}

/**
 * Checks whether an entry that was admitted before may go on. Decides again if it is in an organization, a connection
 * vouched for its person, or the policy has become stricter; otherwise runs no statement.
 * @returns whether it was decided again
 * @throws as {@link requireAdmitted}
 */
export async function requireStillAdmitted(ctx: Ctx, entrance: Entrance, entry: ProvenEntry): Promise<boolean> {
  const { settings } = await projectOf(ctx.system, ctx.scope);
  const { userId, organizationId, acr, admittedUnder: under, rememberedDevice, signInMethods } = entry;
  const stricter = mustBeLookedAtAgain(settings, { acr, under, remembered: rememberedDevice !== null });
  if (organizationId === null && !stricter && !signInMethods.some(isConnection)) return false;
  await requireAdmitted(ctx, entrance, { userId, organizationId, proof: entry });
  return true;
}

const CODES = {
  closed: 'MEMBERSHIP_REQUIRED',
  blocked: 'MEMBER_BLOCKED',
  not_a_member: 'MEMBERSHIP_REQUIRED',
  third_party: 'WRONG_TOKEN_KIND',
  no_organization: 'NOT_FOUND',
  organization_blocked: 'ORGANIZATION_BLOCKED',
  organization_address: 'ORGANIZATION_ADDRESS',
  organization_method: 'ORGANIZATION_METHOD',
  foreign_connection: 'REAUTHENTICATION_REQUIRED',
} as const;

type Refused = { because: Refusal; message?: string | null };

/** The problem for a refusal. */
export function refusal({ because, message = null }: Refused): Problem {
  if (because === 'action') return refusalOf({ kind: 'refused', message });
  if (because === 'action_failed') return refusalOf({ kind: 'failed' });
  if (because === 'unmet') return reauthenticationRequired({ acr: 'aal2' });
  if (because !== 'same_phone') return problem(CODES[because]);
  return problem(
    'METHOD_DISABLED',
    'This phone is the second factor of the account, so it cannot be the first. Sign in another way.',
  );
}
