import { emit } from '#events';
import { type IssuerOfAccount, issuersOfProviders } from '#identity-providers';
import { identitiesInBulk } from '#linked-identities';
import { membersAfter, requirePermission } from '#members';
import { organizationsOf } from '#organizations';
import { type Ctx, transaction } from '#platform/ctx.ts';
import type { MemberId, UserId } from '#platform/ids.ts';
import { Problem } from '#platform/problem.ts';
import type { ImportRow } from './import-rows.ts';

/** Members per page; memory holds one page of an export at a time. */
const PAGE = 500;

/** Fields to export in addition to what a project sees of its members. */
export type Exported = { passwordHashes: boolean };

/** @throws Problem AUTHORIZATION_DENIED for hashes without `members:credentials` */
export async function requireExport(ctx: Ctx, { passwordHashes }: Exported): Promise<void> {
  if (passwordHashes) await requirePermission(ctx, 'members:credentials');
}

/** Records that the members were exported, and by whom. */
export async function noteExport(ctx: Ctx, { passwordHashes }: Exported): Promise<void> {
  await transaction(ctx, (tx) => emit(tx, 'membership.exported', { passwordHashes }));
}

/**
 * Every member, oldest first, as rows that an import accepts: one JSON object per line. Password hashes and
 * `customData` belong to the account, so a project gets them only for accounts it manages; organizations need
 * `organizations:read`. Read page by page, so concurrent changes may be missing. Served by the primary key.
 */
export async function* exportMembers(ctx: Ctx, { passwordHashes }: Exported): AsyncGenerator<string> {
  const withOrganizations = await mayReadOrganizations(ctx);
  const providers = await issuersOfProviders(ctx);
  let after = '';
  for (;;) {
    // biome-ignore lint/performance/noAwaitInLoops: pages follow one another
    const members = await membersAfter(ctx, after, PAGE);
    const last = members.at(-1);
    if (!last) return;
    const joined = withOrganizations ? await organizationsByMember(ctx, members) : undefined;
    const linked = await linksByUser(ctx, members, providers);
    yield members
      .flatMap(({ user, ...member }) => {
        if (!user) return [];
        const linkedIdentities = linked.get(member.userId);
        const organizations = joined?.get(member.id);
        const row = {
          ...rowOf(member, user),
          ...accountOf(member, { user, passwordHashes }),
          ...(linkedIdentities && { linkedIdentities }),
          ...(organizations && {
            organizations: organizations.map(({ organization, roles }) => ({ organization, roles })),
          }),
        };
        return [`${JSON.stringify(row)}\n`];
      })
      .join('');
    after = last.id;
  }
}

async function mayReadOrganizations(ctx: Ctx): Promise<boolean> {
  try {
    await requirePermission(ctx, 'organizations:read');
    return true;
  } catch (error) {
    if (error instanceof Problem && error.code === 'AUTHORIZATION_DENIED') return false;
    throw error;
  }
}

/** The organizations of each member who is in any, by slug where they have one, because ids differ between installations. */
async function organizationsByMember(ctx: Ctx, members: readonly { id: MemberId }[]) {
  const rows = await organizationsOf(
    ctx,
    members.map(({ id }) => id),
  );
  return Map.groupBy(
    rows.map(({ memberId, slug, id, roles }) => ({ memberId, organization: slug ?? id, roles })),
    ({ memberId }) => memberId,
  );
}

/**
 * The accounts at the project's identity providers, for members whose account the project manages. Accounts at
 * connections stay out: a connection has another id in another installation.
 */
async function linksByUser(ctx: Ctx, members: readonly Read[], providers: ReadonlyMap<string, IssuerOfAccount>) {
  if (providers.size === 0) return new Map<UserId, never>();
  const users = members.flatMap(({ userId, isInReach }) => (isInReach ? [userId] : []));
  const links = await identitiesInBulk.ofUsers(ctx, users);
  const own = links.filter(({ provider, issuer }) => 'issuer' in (providers.get(provider)?.(issuer) ?? {}));
  const rows = own.map(({ userId, provider, issuer, subject, email }) => ({
    userId,
    link: { provider, issuer, subject, ...(email !== null && { email }) },
  }));
  const grouped = Map.groupBy(rows, ({ userId }) => userId);
  return new Map([...grouped].map(([userId, group]) => [userId, group.map(({ link }) => link)]));
}

type Read = Awaited<ReturnType<typeof membersAfter>>[number];
type User = NonNullable<Read['user']>;
type Row = Omit<Read, 'user'>;

function rowOf(member: Row, { userId, createdAt }: User): ImportRow {
  return {
    memberId: member.id,
    userId,
    ...(member.status !== 'invited' && { status: member.status }),
    roles: member.roles.sort(),
    metadata: member.metadata,
    createdAt: createdAt.toISOString(),
    joinedAt: member.joinedAt.toISOString(),
    lastSeenAt: member.lastSeenAt?.toISOString() ?? null,
  };
}

/** The exported fields of the account behind a member. */
function accountOf({ isInReach, knownAs }: Row, { user, passwordHashes }: { user: User } & Exported): ImportRow {
  if (!isInReach && knownAs) return knownAs;
  const { profile, passwordHash, customData } = user;
  const identifier = (kind: string) => user.identifiers.find((candidate) => candidate.kind === kind);
  const [email, phone, username] = [identifier('email'), identifier('phone'), identifier('username')];
  return {
    ...(email && { email: email.value, emailVerified: email.verified }),
    ...(phone && { phone: phone.value, phoneVerified: phone.verified }),
    ...(username && { username: username.value }),
    ...Object.fromEntries(Object.entries(profile).filter(([, value]) => value !== null)),
    ...(isInReach && passwordHashes && passwordHash !== null && { passwordHash }),
    ...(isInReach && { customData }),
  };
}
