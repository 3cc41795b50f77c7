import { NativeSelect } from '@mantine/core';
import { useRef } from 'react';
import { dataOf, headersOf } from '#api/client.ts';
import type { Member } from '#api/records.ts';
import { useCan, useClient, useScope } from '#api/scope.tsx';
import { etagOf } from '#api/transport.ts';
import type { BulkAction } from '#ui/bulk.tsx';
import { useRoles } from './RoleNames.tsx';

const membersIn = (count: number) => (count === 1 ? '1 member' : `${count} members`);

/** What an operator does with several members of the list. */
export function useMemberActions(): readonly BulkAction<Member>[] {
  const client = useClient();
  const scope = headersOf(useScope());
  const roles = useRoles();
  const canWrite = useCan('members:write');
  const role = useRef('');
  const [first] = roles;
  if (!canWrite) return [];
  const pathOf = ({ id }: Member) => ({ params: { path: { memberId: id } } });
  /** The list may be old: a role that someone took since must not come back. */
  const changeRoles = async (member: Member, next: (held: readonly string[]) => string[]) => {
    const now = await dataOf(client.GET('/console/v1/members/{memberId}', pathOf(member)));
    const version = etagOf(scope, `/console/v1/members/${member.id}`);
    const headers = version ? { 'If-Match': version } : {};
    const body = { roles: next(now.roles) };
    return dataOf(client.PUT('/console/v1/members/{memberId}/roles', { ...pathOf(member), headers, body }));
  };
  const askRole = (label: string) => {
    role.current = first?.key ?? '';
    return (
      <NativeSelect
        label={label}
        data={roles.map(({ key, name }) => ({ value: key, label: name }))}
        onChange={({ currentTarget: { value } }) => {
          role.current = value;
        }}
      />
    );
  };
  return [
    {
      label: 'Give a role',
      question: (rows) => ({
        title: `Give ${membersIn(rows.length)} a role?`,
        body: askRole('Role'),
        action: 'Give role',
      }),
      act: (member) => changeRoles(member, (held) => [...new Set([...held, role.current])]),
      done: (count) => `${membersIn(count)} have the role`,
    },
    {
      label: 'Take a role',
      appliesTo: ({ roles: held }) => held.length > 0,
      question: (rows) => ({
        title: `Take a role from ${membersIn(rows.length)}?`,
        body: askRole('Role'),
        action: 'Take role',
        danger: true,
      }),
      act: (member) => changeRoles(member, (held) => held.filter((key) => key !== role.current)),
      done: (count) => `${membersIn(count)} no longer have the role`,
    },
    {
      label: 'Block',
      appliesTo: ({ status }) => status !== 'blocked',
      question: (rows) => ({
        title: `Block ${membersIn(rows.length)}?`,
        body: 'Their sessions in this project end immediately, and they can’t sign in to it until they are unblocked.',
        action: 'Block',
        danger: true,
      }),
      act: (member) => dataOf(client.POST('/console/v1/members/{memberId}/block', pathOf(member))),
      done: (count) => `${membersIn(count)} blocked`,
    },
    {
      label: 'Unblock',
      appliesTo: ({ status }) => status === 'blocked',
      question: (rows) => ({ title: `Unblock ${membersIn(rows.length)}?`, action: 'Unblock' }),
      act: (member) => dataOf(client.POST('/console/v1/members/{memberId}/unblock', pathOf(member))),
      done: (count) => `${membersIn(count)} unblocked`,
    },
    {
      label: 'Remove',
      danger: true,
      question: (rows) => ({
        title: `Remove ${membersIn(rows.length)}?`,
        body: 'They lose access to this project and their roles immediately. This can’t be undone.',
        action: 'Remove',
        danger: true,
        typeName: membersIn(rows.length),
      }),
      act: async (member) => {
        const { error } = await client.DELETE('/console/v1/members/{memberId}', pathOf(member));
        if (error) throw error;
      },
      done: (count) => `${membersIn(count)} removed`,
    },
  ];
}
