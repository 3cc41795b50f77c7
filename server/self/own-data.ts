import { Type } from 'typebox';
import { activityOf } from '#audit';
import { defaultOrganizationsOf } from '#default-organizations';
import { listDevices } from '#devices';
import { eventsOfUser } from '#events';
import { listFactors } from '#factors';
import { addressesOf } from '#identifiers';
import { invitationsTo } from '#invitations';
import { listIdentities } from '#linked-identities';
import { membershipsOf } from '#members';
import { messagesTo } from '#messages';
import { consentsOf } from '#oidc';
import { organizationsOf } from '#organizations';
import { listPasskeys } from '#passkeys';
import { findPassword } from '#passwords';
import { getProfile } from '#people';
import { type Ctx, customerOf } from '#platform/ctx.ts';
import { Instant } from '#platform/schemas.ts';
import { addressChallengesOf } from '#proofs';
import { recoveryCodesLeft } from '#recovery-codes';
import { relationsOfMembers } from '#relations';
import { directoryRecordsOf } from '#scim';
import { sessionsOfUser } from '#sessions';

/** The maximum of rows of each unbounded table; the newest are kept. */
const MAX_ROWS = 10_000;

const Records = (description: string) => Type.Array(Type.Record(Type.String(), Type.Unknown()), { description });

export const OwnData = Type.Object({
  exportedAt: Instant,
  profile: Type.Record(Type.String(), Type.Unknown()),
  identifiers: Records('Email, phone and username, and when each was verified.'),
  memberships: Records('Memberships in every project of the workspace, with roles and metadata.'),
  organizations: Records(
    'Organizations of those projects, with the roles in each, and whether it is the default of its project.',
  ),
  directoryRecords: Records('What the directories of organizations provide about the person (SCIM).'),
  relations: Records('The first ten thousand relations of the person to resources of those projects.'),
  credentials: Type.Object({
    passwordChangedAt: Type.Union([Type.String(), Type.Null()], { description: 'Null without a password.' }),
    factors: Records('Second factors.'),
    passkeys: Records('Passkeys, without their keys.'),
    recoveryCodesLeft: Type.Integer(),
    rememberedDevices: Records('Devices that skip the second factor.'),
  }),
  linkedIdentities: Records('Accounts at identity providers.'),
  sessions: Records('The newest ten thousand sessions, including ended ones.'),
  consents: Records('The OAuth scopes that the person allowed.'),
  invitations: Records('Invitations to the email address.'),
  requests: Records('Codes and links asked for lately: where they went, and from where they were asked for.'),
  messages: Records('The newest ten thousand mails and text messages, without their text.'),
  events: Records('The newest ten thousand events.'),
  activity: Records('The newest ten thousand changes of records that are not the person’s own, by their ids.'),
});

/** All data stored about the signed-in user, in all projects of the workspace; no secrets. */
export async function ownData(ctx: Ctx) {
  const { userId } = customerOf(ctx);
  const [profile, identifiers, memberships, linkedIdentities, sessions, consents, requests, events, activity] =
    await Promise.all([
      getProfile(ctx, userId),
      addressesOf(ctx, userId),
      membershipsOf.own(ctx, userId, { limit: MAX_ROWS }),
      listIdentities(ctx, userId),
      sessionsOfUser(ctx, userId, { limit: MAX_ROWS, ended: true }),
      consentsOf(ctx, userId),
      addressChallengesOf(ctx, userId),
      eventsOfUser(ctx, userId, MAX_ROWS),
      activityOf(ctx, userId, MAX_ROWS),
    ]);
  const credentials = await credentialsOf(ctx);
  const phones = credentials.factors.flatMap(({ phone }) => phone ?? []);
  const addresses = [...new Set([...identifiers.map(({ value }) => value), ...phones])];
  const memberIds = memberships.items.map(({ id }) => id);
  const [organizations, defaults, directoryRecords, relations, invitations, messages] = await Promise.all([
    organizationsOf(ctx, memberIds),
    defaultOrganizationsOf(ctx, memberIds),
    directoryRecordsOf(ctx, userId),
    relationsOfMembers(ctx, memberIds, MAX_ROWS),
    invitationsTo(ctx, addresses),
    messagesTo(ctx, addresses, MAX_ROWS),
  ]);
  return {
    exportedAt: ctx.now.toISOString(),
    profile,
    identifiers,
    memberships: memberships.items,
    organizations: organizations.map((own) => ({ ...own, isDefault: defaults.includes(own.id) })),
    directoryRecords,
    relations,
    credentials,
    linkedIdentities,
    sessions,
    consents,
    invitations,
    requests,
    messages,
    events,
    activity,
  };
}

async function credentialsOf(ctx: Ctx) {
  const { userId } = customerOf(ctx);
  const [password, factors, passkeys, codes, rememberedDevices] = await Promise.all([
    findPassword(ctx, userId),
    listFactors(ctx, userId),
    listPasskeys(ctx, userId),
    recoveryCodesLeft(ctx, userId),
    listDevices(ctx, userId),
  ]);
  return {
    passwordChangedAt: password?.changedAt.toISOString() ?? null,
    factors: factors.map((factor) => ({ ...factor })),
    passkeys: passkeys.map((passkey) => ({ ...passkey })),
    recoveryCodesLeft: codes,
    rememberedDevices,
  };
}
