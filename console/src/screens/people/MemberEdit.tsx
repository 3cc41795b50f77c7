import { Checkbox, TextInput } from '@mantine/core';
import { useMemo } from 'react';
import type { Member, MemberAccount } from '#api/records.ts';
import { useApi, useCan } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { Fields, RecordFields, type RecordForm, useRecordForm } from '#ui/form.tsx';
import { arranged, JsonField, objectIn } from '#ui/json.tsx';
import { Card, Page } from '#ui/page.tsx';
import { useIdInAddress } from '#ui/search.ts';
import { Loaded } from '#ui/states.tsx';
import { Term } from '#ui/term.tsx';
import { nameOf } from './members.ts';

/** Edits everything of a member that an administrator may change. */
export function MemberEdit() {
  const memberId = useIdInAddress();
  const params = { path: { memberId } };
  const api = useApi();
  const member = api.useQuery('get', '/console/v1/members/{memberId}', { params });
  const account = api.useQuery('get', '/console/v1/members/{memberId}/account', { params }, { retry: false });
  return (
    <Loaded query={member}>
      {(record) =>
        account.isPending ? (
          <Loaded query={account}>{() => null}</Loaded>
        ) : (
          <Edit
            member={record}
            profile={account.data?.profile ?? null}
            reread={async () => {
              const [first, second] = await Promise.all([member.refetch(), account.refetch()]);
              return first.data && { member: first.data, profile: second.data?.profile ?? null };
            }}
          />
        )
      }
    </Loaded>
  );
}

type Profile = MemberAccount['profile'];

const LINES = [
  ['displayName', 'Name', 'name'],
  ['givenName', 'Given name', 'given_name'],
  ['middleName', 'Middle name', 'middle_name'],
  ['familyName', 'Family name', 'family_name'],
  ['nickname', 'Nickname', 'nickname'],
  ['gender', 'Gender', 'gender'],
  ['birthdate', 'Date of birth', 'birthdate'],
  ['picture', 'Address of a picture', 'picture'],
  ['profile', 'Address of a profile page', 'profile'],
  ['website', 'Address of a website', 'website'],
  ['locale', 'Language', 'locale'],
  ['zoneinfo', 'Time zone', 'zoneinfo'],
] as const;
type Line = (typeof LINES)[number][0];

const EXAMPLES: Partial<Record<Line, string>> = {
  birthdate: '1990-12-31',
  locale: 'en-GB',
  zoneinfo: 'Europe/Berlin',
  picture: 'https://…',
  profile: 'https://…',
  website: 'https://…',
};

/** The record as its form shows it: as text. */
type Texts = Record<Line, string> & {
  email: string;
  emailVerified: boolean;
  phone: string;
  phoneVerified: boolean;
  username: string;
  metadata: string;
  customData: string;
};

function textsOf({ email, phone, username, emailVerified, phoneVerified, metadata }: Member, profile: Profile | null) {
  const line = (name: Line) => profile?.[name] ?? '';
  return {
    email: email ?? '',
    emailVerified,
    phone: phone ?? '',
    phoneVerified,
    username: username ?? '',
    metadata: arranged(metadata),
    customData: arranged(profile?.customData ?? {}),
    displayName: line('displayName'),
    givenName: line('givenName'),
    middleName: line('middleName'),
    familyName: line('familyName'),
    nickname: line('nickname'),
    gender: line('gender'),
    birthdate: line('birthdate'),
    picture: line('picture'),
    profile: line('profile'),
    website: line('website'),
    locale: line('locale'),
    zoneinfo: line('zoneinfo'),
  };
}

/** The changes as the API takes them: an empty text clears its field, and a verified address is sent with its address. */
function bodyOf(changes: Partial<Texts>, values: Texts) {
  const { email, emailVerified, phone, phoneVerified, username, metadata, customData, ...lines } = changes;
  const cleared = Object.fromEntries(Object.entries(lines).map(([name, text]) => [name, text || null]));
  return {
    ...cleared,
    ...((email ?? emailVerified) !== undefined && { email: values.email, emailVerified: values.emailVerified }),
    ...((phone ?? phoneVerified) !== undefined && { phone: values.phone, phoneVerified: values.phoneVerified }),
    ...(username !== undefined && { username: username || null }),
    ...(metadata !== undefined && { metadata: objectIn('metadata', metadata) }),
    ...(customData !== undefined && { customData: objectIn('customData', customData) }),
  };
}

type EditProps = {
  member: Member;
  /** Null: the project does not see the account. */
  profile: Profile | null;
  reread: () => Promise<{ member: Member; profile: Profile | null } | undefined>;
};

function Edit({ member, profile, reread }: EditProps) {
  const at = useAt();
  const canWrite = useCan('members:write');
  const change = useApi().useMutation('patch', '/console/v1/members/{memberId}');
  const record: Texts = useMemo(() => textsOf(member, profile), [member, profile]);
  const form = useRecordForm({
    record,
    path: `/console/v1/members/${member.id}`,
    save: {
      isPending: change.isPending,
      mutateAsync: async ({ changes, headers }) => {
        const after = { ...record, ...changes };
        const body = bodyOf(changes, after);
        await change.mutateAsync({ params: { path: { memberId: member.id } }, body, headers });
        return after;
      },
    },
    reread: async () => {
      const now = await reread();
      return { data: now && textsOf(now.member, now.profile) };
    },
    done: 'Member saved',
  });
  return (
    <Page title={`Edit ${nameOf(member)}`} back={{ to: at(`/members/${member.id}`), label: nameOf(member) }}>
      <RecordFields form={form}>
        {profile && <Addresses form={form} canWrite={canWrite} />}
        {profile && <ProfileCard form={form} canWrite={canWrite} />}
        <Card split title="Data" about="Free JSON of your product, up to 16 KiB each.">
          <Fields canWrite={canWrite}>
            <JsonField
              label="Metadata"
              description="Of this member in this project. The person does not see it."
              value={form.values.metadata}
              error={form.errors.metadata}
              onChange={(text) => form.set({ metadata: text })}
            />
            {profile && (
              <JsonField
                label="Custom data"
                description="Of the account, in all projects of the workspace. The person sees it in their data."
                value={form.values.customData}
                error={form.errors.customData}
                onChange={(text) => form.set({ customData: text })}
              />
            )}
          </Fields>
        </Card>
      </RecordFields>
    </Page>
  );
}

type CardProps = { form: RecordForm<Texts>; canWrite: boolean };

function Addresses({ form, canWrite }: CardProps) {
  return (
    <Card
      split
      title="Addresses"
      about="A changed address ends the sessions of the person, and a mail to the old one says so. Without “verified” they must prove it."
    >
      <Fields canWrite={canWrite}>
        <TextInput type="email" label="Email" {...form.text('email')} />
        <Checkbox
          label="Email is verified"
          checked={form.values.emailVerified}
          onChange={(event) => form.set({ emailVerified: event.currentTarget.checked })}
        />
        <TextInput type="tel" label="Phone" placeholder="+4915112345678" {...form.text('phone')} />
        <Checkbox
          label="Phone is verified"
          checked={form.values.phoneVerified}
          onChange={(event) => form.set({ phoneVerified: event.currentTarget.checked })}
        />
        <TextInput label="Username" {...form.text('username')} />
      </Fields>
    </Card>
  );
}

function ProfileCard({ form, canWrite }: CardProps) {
  return (
    <Card split title="Profile" about="What applications get in the scope “profile”. An empty field is not set.">
      <Fields canWrite={canWrite}>
        {LINES.map(([name, label, claim]) => (
          <TextInput
            key={name}
            label={<Term name={claim}>{label}</Term>}
            placeholder={EXAMPLES[name]}
            {...form.text(name)}
          />
        ))}
      </Fields>
    </Card>
  );
}
