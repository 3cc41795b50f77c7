import type { Account, AccountClaims, KoaContextWithOIDC } from 'oidc-provider';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { type Application, isFirstParty } from '#applications';
import { projectOf } from '#environments';
import { accessOf } from '#members';
import { getProfile, type Profile } from '#people';
import { type Ctx, systemCtx } from '#platform/ctx.ts';
import type { UserId } from '#platform/ids.ts';
import { IdSchema } from '#platform/ids.ts';
import { Problem } from '#platform/problem.ts';
import { standingIn } from '#platform/standing.ts';
import type { System } from '#platform/system.ts';
import { sessionLifetimes } from '#settings';
import { applicationOf } from './clients.ts';
import { consentTo } from './consents.ts';
import { customClaims } from './custom-claims.ts';
import { organizationClaims } from './organizations.ts';

const UserIdSchema = IdSchema('usr');

/** The claims of each OAuth scope (OpenID Connect Core §5.4), besides the subject. */
export const CLAIMS: Record<string, string[]> = {
  openid: ['sub', 'workspace_id', 'project_id', 'org_id', 'acr', 'amr', 'auth_time'],
  profile: [
    'name',
    'given_name',
    'middle_name',
    'family_name',
    'nickname',
    'preferred_username',
    'gender',
    'picture',
    'profile',
    'website',
    'locale',
    'zoneinfo',
    'birthdate',
    'updated_at',
  ],
  email: ['email', 'email_verified'],
  phone: ['phone_number', 'phone_number_verified'],
  roles: ['roles'],
  permissions: ['permissions'],
  organization: ['org_name', 'org_slug', 'org_roles', 'org_permissions'],
};

/** The OAuth scopes a person can consent to; others are not granted (RFC 6749 §3.3). */
export const SCOPES = [...Object.keys(CLAIMS), 'offline_access'];

/** The claims that need the profile of the person. */
const PERSONAL = ['profile', 'email', 'phone'].flatMap((scope) => CLAIMS[scope] ?? []);

/** The context of a client: its own project. */
export function ctxOf(system: System, application: Application): Ctx {
  const { workspaceId, projectId, environment } = application;
  return systemCtx(system, { workspaceId, projectId, environment }, 'oidc', 'oidc');
}

/**
 * The account of a user as a client sees it: an active member of the client's project.
 * @returns undefined for other users
 */
export async function findAccount(
  system: System,
  { client, entities }: Pick<KoaContextWithOIDC['oidc'], 'client' | 'entities'>,
  subject: string,
): Promise<Account | undefined> {
  if (!client || !Value.Check(UserIdSchema, subject)) return undefined;
  const application = applicationOf(client);
  const ctx = ctxOf(system, application);
  const { status, roles, permissions } = await accessOf(ctx, subject);
  if (status !== 'active') return undefined;
  const access: AccessClaims = { roles: roles.map(({ key }) => key), permissions };
  const custom = () =>
    customClaims(ctx, entities, {
      application,
      userId: subject,
      organizationId: entities.Grant?.organizationId ?? null,
    });
  return {
    accountId: subject,
    access,
    custom,
    lifetimes: await lifetimesOf(system, application),
    claims: async (use, scope, asked) => {
      const consented = await consentedScopes(ctx, application, subject);
      const userinfoIsOpen = entities.AccessToken?.aud === undefined;
      const byClaims = use === 'id_token' && application.idTokenClaims === 'requested' && userinfoIsOpen;
      const granted = claimsGranted({ scopes: byClaims ? [] : scope.split(' '), asked: Object.keys(asked), consented });
      const organization = await organizationOf(ctx, entities, subject);
      const claims = await claimsOf(ctx, { userId: subject, access: { ...access, ...organization }, granted });
      return { ...(await custom()), ...claims };
    },
  };
}

/** The claims about the organization of the grant, if it is in one and its user still is. */
export async function organizationOf(
  ctx: Ctx,
  { Grant: grant }: KoaContextWithOIDC['oidc']['entities'],
  subject: string,
): Promise<Partial<ReturnType<typeof organizationClaims>>> {
  const organizationId = grant?.organizationId;
  if (!organizationId || !Value.Check(UserIdSchema, subject)) return {};
  const standing = await standingIn(ctx, { organizationId, userId: subject });
  return standing?.status === 'active' ? organizationClaims(standing) : {};
}

/**
 * The OAuth scopes whose claims an application may receive: for a third party, those that the user still consents to.
 */
async function consentedScopes(ctx: Ctx, application: Application, userId: UserId): Promise<readonly string[]> {
  return isFirstParty(application) ? SCOPES : consentTo(ctx, userId, application.id);
}

type Wanted = { scopes: readonly string[]; asked: readonly string[]; consented: readonly string[] };

/**
 * The claims of the scopes and those that the `claims` parameter asked for (OpenID Connect Core §5.4, §5.5), of the
 * consented scopes only: the consent page names scopes.
 */
function claimsGranted({ scopes, asked, consented }: Wanted): ReadonlySet<string> {
  const wanted = consented.flatMap((scope) => {
    const claims = CLAIMS[scope] ?? [];
    return scopes.includes(scope) ? claims : claims.filter((claim) => asked.includes(claim));
  });
  return new Set(wanted);
}

/** The lifetimes of an application's tokens for a user, in seconds. */
export const Lifetimes = Type.Object({ accessToken: Type.Integer(), refreshToken: Type.Integer() });
export type Lifetimes = Static<typeof Lifetimes>;

/** The application's lifetimes, or else its project's, both capped by the project's assurance level. */
async function lifetimesOf(system: System, application: Application): Promise<Lifetimes> {
  const { settings } = await projectOf(system, application);
  const { accessTokenSeconds, refreshTokenSeconds } = application;
  const unused = refreshTokenSeconds ?? settings.sessionIdleSeconds;
  return {
    accessToken: accessTokenSeconds ?? settings.accessTokenSeconds,
    refreshToken: sessionLifetimes({ ...settings, sessionIdleSeconds: unused }).idle,
  };
}

/** Roles and permissions, as claims and for access tokens. */
export type AccessClaims = { roles: string[]; permissions: string[] };

type Told = { userId: UserId; access: AccessClaims & Record<string, unknown>; granted: ReadonlySet<string> };
/** The claims that actions add, of an account of {@link findAccount}. */
export async function customClaimsOf(account: Account): Promise<Readonly<Record<string, unknown>>> {
  const custom: unknown = account['custom'];
  const claims: unknown = typeof custom === 'function' ? await custom() : {};
  return { ...Object(claims) };
}

export function isAccess(value: unknown): value is AccessClaims {
  return typeof value === 'object' && value !== null && 'roles' in value;
}

/** The subject and the granted claims that have a value. */
async function claimsOf(ctx: Ctx, { userId, access, granted }: Told): Promise<AccountClaims> {
  const { workspaceId, projectId } = ctx.scope;
  const told = { workspace_id: workspaceId, project_id: projectId, ...access };
  const profile = PERSONAL.some((claim) => granted.has(claim)) ? await profileOf(ctx, userId) : undefined;
  const known = { ...told, ...(profile && profileClaims(profile)) };
  return { ...Object.fromEntries(Object.entries(known).filter(([claim]) => granted.has(claim))), sub: userId };
}

async function profileOf(ctx: Ctx, userId: UserId): Promise<Profile | undefined> {
  try {
    return await getProfile(ctx, userId);
  } catch (error) {
    if (error instanceof Problem && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
}

/** The claims of OpenID Connect Core §5.1 that have a value. */
function profileClaims(profile: Profile): Record<string, unknown> {
  const claims = {
    name: profile.displayName,
    given_name: profile.givenName,
    middle_name: profile.middleName,
    family_name: profile.familyName,
    nickname: profile.nickname,
    preferred_username: profile.username,
    gender: profile.gender,
    picture: profile.picture,
    profile: profile.profile,
    website: profile.website,
    locale: profile.locale,
    zoneinfo: profile.zoneinfo,
    birthdate: profile.birthdate,
    updated_at: Math.floor(Date.parse(profile.updatedAt) / 1000),
    email: profile.email,
    email_verified: profile.email === null ? null : profile.emailVerified,
    phone_number: profile.phone,
    phone_number_verified: profile.phone === null ? null : profile.phoneVerified,
  };
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== null));
}
