import { Alert, Button, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { problemOf } from '#api/problem.ts';
import type { Member, MemberAccount } from '#api/records.ts';
import { useApi, useCan } from '#api/scope.tsx';
import { type Mutation, useAction } from '#ui/action.ts';
import { sentence } from '#ui/badge.tsx';
import { exactTime } from '#ui/moments.ts';
import { Card } from '#ui/page.tsx';
import { Empty, Loaded } from '#ui/states.tsx';
import { Below, Table } from '#ui/table.tsx';
import { Time } from '#ui/time.tsx';
import { nameOf } from './members.ts';

type Props = { member: Member };

/** With what a member signs in: the password, passkeys, second factors and linked accounts; and attempts that are refused. */
export function MemberAccess({ member }: Props) {
  const account = useApi().useQuery(
    'get',
    '/console/v1/members/{memberId}/account',
    { params: { path: { memberId: member.id } } },
    { retry: false },
  );
  return (
    <Card flush title="Sign-in methods">
      {account.isError && problemOf(account.error).status === 403 ? (
        <Empty title="Not shown">{problemOf(account.error).detail}</Empty>
      ) : (
        <Loaded query={account}>
          {(found) => (
            <>
              <Throttled member={member} throttled={found.throttled} />
              <Methods member={member} account={found} />
            </>
          )}
        </Loaded>
      )}
    </Card>
  );
}

const WAYS: Record<MemberAccount['throttled'][number]['way'], string> = {
  password: 'Passwords',
  totp: 'Codes of the authenticator app',
  totp_enrolment: 'Setting up an authenticator app',
  phone: 'Codes by text message',
  recovery_code: 'Recovery codes',
  passkey: 'Passkeys',
  email_code: 'Codes by mail',
};

function Throttled({ member, throttled }: Props & Pick<MemberAccount, 'throttled'>) {
  const unlock = useAction(useApi().useMutation('post', '/console/v1/members/{memberId}/unlock'));
  const canWrite = useCan('members:write');
  if (throttled.length === 0) return null;
  const name = nameOf(member);
  return (
    <Alert color="yellow" radius={0} title="Too many wrong attempts">
      {throttled.map(({ way, source, until }) => (
        <Text key={`${way} ${source}`} size="sm">
          {WAYS[way]} are refused {source === null ? 'from everywhere' : `from ${source.replace(/\/(32|128)$/, '')}`}{' '}
          until {exactTime(until)}.
        </Text>
      ))}
      {canWrite && (
        <Button
          mt="xs"
          variant="default"
          loading={unlock.busy}
          onClick={() =>
            unlock.run(
              { params: { path: { memberId: member.id } } },
              {
                done: `${name} can try again`,
                question: {
                  title: `Let ${name} try again now?`,
                  body: 'If someone else is guessing, they can go on, too.',
                  action: 'Unlock',
                },
              },
            )
          }
        >
          Unlock
        </Button>
      )}
    </Alert>
  );
}

type Method = {
  key: string;
  kind: string;
  name: ReactNode;
  added: string | null;
  used: string | null;
  remove?: ReactNode;
};

function Methods({ member, account }: Props & { account: MemberAccount }) {
  const api = useApi();
  const canWrite = useCan('members:write');
  const factors = api.useMutation('delete', '/console/v1/members/{memberId}/factors/{factorId}');
  const passkeys = api.useMutation('delete', '/console/v1/members/{memberId}/passkeys/{passkeyId}');
  const identities = api.useMutation('delete', '/console/v1/members/{memberId}/linked-identities/{identityId}');
  const memberId = member.id;
  const { passwordChangedAt, recoveryCodesLeft } = account;
  const rows: Method[] = [
    ...(account.hasPassword
      ? [{ key: 'password', kind: 'Password', name: 'Set', added: passwordChangedAt, used: null }]
      : []),
    ...account.passkeys.map(({ id, name, synced, secondFactor, createdAt, lastUsedAt }) => ({
      key: id,
      kind: secondFactor ? 'Passkey, also second factor' : 'Passkey',
      name: synced ? `${name} (synced)` : name,
      added: createdAt,
      used: lastUsedAt,
      remove: <Remove what={name} mutation={passkeys} init={{ params: { path: { memberId, passkeyId: id } } }} />,
    })),
    ...account.factors.map(({ id, type, hint, createdAt, lastUsedAt }) => {
      const name = type === 'totp' ? 'Authenticator app' : `Phone ${hint ?? ''}`;
      return {
        key: id,
        kind: 'Second factor',
        name,
        added: createdAt,
        used: lastUsedAt,
        remove: <Remove what={name} mutation={factors} init={{ params: { path: { memberId, factorId: id } } }} />,
      };
    }),
    ...(recoveryCodesLeft > 0
      ? [{ key: 'codes', kind: 'Recovery codes', name: `${recoveryCodesLeft} left`, added: null, used: null }]
      : []),
    ...account.linkedIdentities.map(({ id, provider, email, subject, linkedAt }) => ({
      key: id,
      kind: `Account at ${sentence(provider)}`,
      name: email ?? subject,
      added: linkedAt,
      used: null,
      remove: (
        <Remove
          what={`the account at ${sentence(provider)}`}
          mutation={identities}
          init={{ params: { path: { memberId, identityId: id } } }}
        />
      ),
    })),
  ];
  return (
    <Table
      label="Sign-in methods"
      rows={rows}
      keyOf={({ key }) => key}
      empty="No password, passkey, second factor or linked account"
      columns={[
        {
          name: 'Method',
          cell: ({ kind, name }) => (
            <>
              {kind}
              <Below>{name}</Below>
            </>
          ),
        },
        { name: 'Which', wide: true, cell: ({ name }) => name },
        { name: 'Added', cell: ({ added }) => <Time at={added} /> },
        { name: 'Last used', wide: true, cell: ({ used }) => <Time at={used} /> },
        { name: '', align: 'right', cell: ({ remove }) => canWrite && remove },
      ]}
    />
  );
}

function Remove<I, T>({ what, mutation, init }: { what: string; mutation: Mutation<I, T>; init: I }) {
  const remove = useAction(mutation);
  const onClick = () =>
    remove.run(init, {
      done: 'Removed',
      question: {
        title: `Remove ${what}?`,
        body: 'The person is notified by mail and can no longer sign in with it. This can’t be undone.',
        action: 'Remove',
        danger: true,
      },
    });
  return (
    <Group justify="flex-end">
      <Button
        variant="subtle"
        color="gray"
        size="compact-xs"
        aria-label={`Remove ${what}`}
        loading={remove.busy}
        onClick={onClick}
      >
        Remove
      </Button>
    </Group>
  );
}
