import { type RawBuilder, sql } from 'kysely';
import { type Static, Type } from 'typebox';
import { admit, type Entrance, refusal } from '#admission';
import { isConnection, type UsableConnection } from '#connections';
import { defaultOrganizationOf } from '#default-organizations';
import { type DeviceId, useRememberedDevice } from '#devices';
import { enrolledWith } from '#factors';
import { addMember, entering, holdRoles } from '#members';
import { askForFactor, MfaChallenge } from '#mfa-challenges';
import { newDevice, successAfterFailures } from '#notices';
import { erasureWith, keepAccount } from '#people';
import { asCustomer, type Ctx, type TxCtx, transaction } from '#platform/ctx.ts';
import type { OrganizationId, UserId } from '#platform/ids.ts';
import { finishedRegistration } from '#registrations';
import { scopeFields } from '#requests';
import { beginSession, familiarityOf, provenMethods, SessionResponse, sessionResponse } from '#sessions';
import type { Settings } from '#settings';
import { bindLogin, type SamlLoginId } from '#single-logout';
import { requireOwnProof } from '#step-up';
import { noteResult } from './noted-ways.ts';
import type { Passage } from './ways.ts';

/** Fields of every request that may end in a session; merge into a body. */
export const signInFields = {
  ...scopeFields,
  cookies: Type.Optional(
    Type.Boolean({ description: 'Returns the tokens in HttpOnly cookies, for browsers on an origin of the project.' }),
  ),
  deviceToken: Type.Optional(
    Type.String({ maxLength: 100, description: 'The token of a remembered device, which skips the second factor.' }),
  ),
};

/** A proven first factor: the way, the methods used as RFC 8176 names them, and the level that it reaches alone. */
export type FirstFactor = {
  way: Passage;
  amr: string[];
  acr: 'aal1' | 'aal2';
  /** The connection that vouches for the person. The sign-in enters its organization. */
  connection?: Pick<UsableConnection, 'id' | 'organizationId'>;
  /** The session at its identity provider. */
  samlLogin?: SamlLoginId | null;
};

export type SignInOptions = {
  deviceToken?: string | undefined;
  /** Consecutive failed attempts before this one. */
  failures?: number;
  /** Whether source and browser were used before, if it was read already. */
  familiarity?: Familiarity | undefined;
  /** What was read of the person already, in the same transaction. */
  person?: KnownPerson | undefined;
};

type Column<Read extends (...given: never[]) => unknown> =
  ReturnType<Read> extends RawBuilder<infer Value> ? Value : never;

/** What a sign-in reads of a person. */
type KnownPerson = {
  member: Column<typeof entering.readWith>;
  enrolled: Column<typeof enrolledWith>;
  erasing: Column<typeof erasureWith>;
};

/** SQL: what {@link KnownPerson} says of a user. */
export function personWith(tx: TxCtx, settings: Settings, userId: RawBuilder<unknown>): RawBuilder<KnownPerson> {
  return sql<KnownPerson>`json_build_object('member', ${entering.readWith(tx, userId)},
    'enrolled', ${enrolledWith(tx, settings, userId)}, 'erasing', ${erasureWith(tx, userId)})`;
}

/** The result of a first factor: a session, or a request for the second factor. */
export const SignInResponse = Type.Union([SessionResponse, MfaChallenge]);
export type SignInResponse = Static<typeof SignInResponse>;

type IssuedSession = Awaited<ReturnType<typeof beginSession>>;
type Familiarity = Awaited<ReturnType<typeof familiarityOf>>;

/** The result of a sign-in before the commit; {@link signInResponse} turns it into a response after the commit. */
export type SignedIn = IssuedSession | { challenge: Static<typeof MfaChallenge> };

/** After this many consecutive failures, a successful sign-in is reported by mail. */
const SUSPICIOUS_FAILURES = 5;

/**
 * Completes every way in: asks for the second factor if one is required, or enters the project with a new session. If
 * registration is open, signing in also joins the project, as registering would.
 * @throws Problem MEMBER_BLOCKED, MEMBERSHIP_REQUIRED, METHOD_DISABLED for a phone that is the second factor already
 */
export async function signIn(
  tx: TxCtx,
  userId: UserId,
  first: FirstFactor,
  options: SignInOptions = {},
): Promise<SignedIn> {
  const { way, amr, acr, connection, samlLogin = null } = first;
  const { deviceToken, person } = options;
  const entrance = way.entrance();
  const method = connection?.id ?? way.method();
  const signInMethods = method ? [method] : provenMethods(amr, { secondFactor: false });
  const proof = { amr, acr, authTime: tx.now, signInMethods };
  const { decision, device } = await admit(tx, entrance, {
    userId,
    organizationId: connection?.organizationId ?? null,
    proof,
    ...(person && { member: person.member?.status ?? null, enrolled: person.enrolled }),
    device: async () => (deviceToken === undefined ? null : useRememberedDevice(tx, userId, deviceToken)),
  });
  if (decision.kind === 'refused') throw refusal(decision);
  if ((options.failures ?? 0) >= SUSPICIOUS_FAILURES) await successAfterFailures(tx, userId, options.failures ?? 0);
  const target = connection?.organizationId ?? (await wantedDefault(tx, userId));
  if (decision.kind === 'needs') {
    const enrolling = decision.what === 'enrolment';
    if (enrolling) await requireOwnProof(tx, { userId, signInMethods });
    tx.afterCommit(() => noteResult(tx.trace, 'second_factor'));
    return {
      challenge: await askForFactor(tx, userId, { amr, signInMethods, organizationId: target, samlLogin, enrolling }),
    };
  }
  if (decision.joins) await addMember(tx, userId);
  const organizationId = connection
    ? target
    : await enterable(tx, entrance, { userId, organizationId: target, proof, device });
  return begin(tx, userId, { amr, acr, signInMethods, organizationId, samlLogin, rememberedDevice: device }, options);
}

/** The default organization of a person, if the application wants it; null otherwise. */
async function wantedDefault(tx: TxCtx, userId: UserId): Promise<OrganizationId | null> {
  return tx.wantsDefaultOrganization ? defaultOrganizationOf(tx, userId) : null;
}

type Entering = {
  userId: UserId;
  organizationId: OrganizationId | null;
  proof: { amr: string[]; acr: string; authTime: Date; signInMethods: readonly string[] };
  device: DeviceId | null;
};

/** The default organization, if the person may enter it with this proof; null otherwise. The sign-in succeeds without it. */
async function enterable(tx: TxCtx, entrance: Entrance, { device, ...candidate }: Entering) {
  if (candidate.organizationId === null) return null;
  const { decision } = await admit(tx, entrance, { ...candidate, device: async () => device });
  return decision.kind === 'admitted' ? candidate.organizationId : null;
}

/**
 * Enters the project after both factors are proven.
 * @throws Problem MEMBER_BLOCKED, MEMBERSHIP_REQUIRED
 */
export async function enterWithBoth(
  tx: TxCtx,
  userId: UserId,
  { way, ...how }: { way: Passage } & Pick<Proven, 'amr' | 'signInMethods' | 'organizationId' | 'samlLogin'>,
) {
  const { amr, signInMethods } = how;
  const entrance = way.entrance();
  const proof = { amr, acr: 'aal2', authTime: tx.now, signInMethods };
  // A connection signs people in to its organization. Any other organization of a challenge is the person's default.
  const isVouched = signInMethods.some(isConnection);
  if (isVouched) await holdRoles(tx, userId);
  const { decision } = await admit(tx, entrance, {
    userId,
    organizationId: isVouched ? how.organizationId : null,
    proof,
    device: async () => null,
  });
  if (decision.kind === 'refused') throw refusal(decision);
  if (decision.kind === 'admitted' && decision.joins) await addMember(tx, userId);
  const organizationId = isVouched
    ? how.organizationId
    : await enterable(tx, entrance, { userId, organizationId: how.organizationId, proof, device: null });
  return begin(tx, userId, { ...how, organizationId, acr: 'aal2', rememberedDevice: null });
}

type Proven = {
  amr: string[];
  acr: string;
  signInMethods: readonly string[];
  organizationId: OrganizationId | null;
  rememberedDevice: DeviceId | null;
  /** The session at the identity provider of a connection. */
  samlLogin: SamlLoginId | null;
};

/** Starts the session of an admitted user, in the organization if there is one. */
async function begin(
  tx: TxCtx,
  userId: UserId,
  { samlLogin, ...how }: Proven,
  { familiarity, person }: Pick<SignInOptions, 'familiarity' | 'person'> = {},
): Promise<IssuedSession> {
  const member = person?.member;
  if (!member) await entering.note(tx, userId);
  else if (member.concerns) await entering.work(tx, { memberId: member.id, userId });
  if (person?.erasing !== false) await keepAccount(tx, userId);
  const { first, source, browser } = familiarity ?? (await familiarityOf(tx, userId));
  const counts = first ? await finishedRegistration(tx, userId) : [];
  const issued = await beginSession(tx, userId, { ...how, counts, ...(member && { also: entering.seen(tx, userId) }) });
  const { sessionId } = issued.entry;
  if (samlLogin !== null) await bindLogin(tx, samlLogin, sessionId);
  tx.afterCommit(() => noteResult(tx.trace, 'signed_in'));
  if (!first && !(source && browser)) await newDevice(asCustomer(tx, issued.entry), { userId, sessionId });
  return issued;
}

/** Runs a sign-in in one transaction, and builds its response after the commit. */
export async function signedIn(ctx: Ctx, work: (tx: TxCtx) => Promise<SignedIn>): Promise<SignInResponse> {
  return signInResponse(ctx, await transaction(ctx, work));
}

export function signInResponse(ctx: Ctx, result: SignedIn): Promise<SignInResponse> | SignInResponse {
  return 'challenge' in result ? result.challenge : sessionResponse(ctx, result);
}
