import { Button, Group } from '@mantine/core';
import { useState } from 'react';
import type { Member, Supporter } from '#api/records.ts';
import { useApi, useCan } from '#api/scope.tsx';
import { useSession } from '#api/session.ts';
import { useAction } from '#ui/action.ts';
import { Copy } from '#ui/copy.tsx';
import { Card } from '#ui/page.tsx';
import { Loaded } from '#ui/states.tsx';
import { Table } from '#ui/table.tsx';
import { Time } from '#ui/time.tsx';
import { ActAs } from './ActAs.tsx';
import { nameOf } from './members.ts';

/** Who acts as a member now, with buttons to act as them and to end it. */
export function Impersonations({ member }: { member: Member }) {
  const api = useApi();
  const params = { path: { memberId: member.id } };
  const list = api.useQuery('get', '/console/v1/members/{memberId}/impersonate', { params });
  const end = useAction(api.useMutation('delete', '/console/v1/members/{memberId}/impersonate'));
  const [asking, setAsking] = useState(false);
  const canEnd = useCan('sessions:revoke');
  const canAct = useCan('members:impersonate');
  const running = list.data?.impersonations ?? [];
  const endEach = () =>
    end.run(
      { params },
      {
        done: 'Nobody acts as this member any more',
        question: {
          title: `End all acting as ${nameOf(member)}?`,
          body: 'Tokens and tickets for it become invalid immediately.',
          action: 'End all',
          danger: true,
        },
      },
    );
  return (
    <Card
      flush
      title="Acting as this member"
      about="Support acts as a member with a token for your APIs. It changes no sign-in method."
      actions={
        <Group gap="xs">
          {canEnd && running.length > 0 && (
            <Button variant="default" size="compact-sm" loading={end.busy} onClick={endEach}>
              End acting
            </Button>
          )}
          {canAct && member.status === 'active' && (
            <Button variant="default" size="compact-sm" onClick={() => setAsking(true)}>
              Act as member
            </Button>
          )}
        </Group>
      }
    >
      <Loaded query={list}>
        {({ impersonations }) => (
          <Table
            label="Acting as this member"
            rows={impersonations}
            keyOf={({ supporterId, since }) => `${supporterId} ${since}`}
            empty="Nobody acts as this member"
            columns={[
              { name: 'Who', cell: (supporter) => <Who supporter={supporter} /> },
              { name: 'Reason', cell: ({ reason }) => reason },
              { name: 'Since', wide: true, cell: ({ since }) => <Time at={since} /> },
              { name: 'Until', cell: ({ endsAt }) => <Time at={endsAt} /> },
            ]}
          />
        )}
      </Loaded>
      {asking && <ActAs member={member} onClose={() => setAsking(false)} />}
    </Card>
  );
}

const KINDS = { customer: 'Member', operator: 'Operator', management: 'Back end' } as const;

function Who({ supporter: { supporterId, supporterKind } }: { supporter: Supporter }) {
  const { operator } = useSession();
  if (operator.userId === supporterId) return 'You';
  return <Copy value={supporterId} shown={KINDS[supporterKind]} name={`the id of the ${KINDS[supporterKind]}`} />;
}
