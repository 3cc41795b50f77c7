import { Button } from '@mantine/core';
import type { Member } from '#api/records.ts';
import { useApi, useCan } from '#api/scope.tsx';
import { useAction } from '#ui/action.ts';
import { Card } from '#ui/page.tsx';
import { Loaded } from '#ui/states.tsx';
import { Table } from '#ui/table.tsx';
import { Time } from '#ui/time.tsx';
import { deviceOf, nameOf } from './members.ts';

/** The sessions of a member, with buttons to end them. */
export function MemberSessions({ member }: { member: Member }) {
  const api = useApi();
  const sessions = api.useQuery('get', '/console/v1/sessions', {
    params: { query: { memberId: member.id, limit: 50 } },
  });
  const end = useAction(api.useMutation('delete', '/console/v1/sessions/{sessionId}'));
  const endAll = useAction(api.useMutation('post', '/console/v1/members/{memberId}/sessions/revoke'));
  const canEnd = useCan('sessions:revoke');
  const name = nameOf(member);
  const endEach = () =>
    endAll.run(
      { params: { path: { memberId: member.id } } },
      {
        done: ({ revoked }) => (revoked === 1 ? '1 session ended' : `${revoked} sessions ended`),
        question: {
          title: `End all sessions of ${name}?`,
          body: 'They must sign in again on every device.',
          action: 'End all',
          danger: true,
        },
      },
    );
  return (
    <Card
      flush
      title="Sessions"
      actions={
        canEnd && (sessions.data?.items.length ?? 0) > 0 ? (
          <Button variant="default" size="compact-sm" loading={endAll.busy} onClick={endEach}>
            End all
          </Button>
        ) : null
      }
    >
      <Loaded query={sessions}>
        {({ items }) => (
          <Table
            label="Sessions"
            rows={items}
            keyOf={({ id }) => id}
            empty="No active sessions"
            columns={[
              { name: 'Device', cell: ({ userAgent }) => deviceOf(userAgent) },
              { name: 'Address', wide: true, cell: ({ ip }) => ip ?? '–' },
              { name: 'Method', wide: true, cell: ({ amr }) => amr.join(' + ') },
              { name: 'Signed in', cell: ({ authTime }) => <Time at={authTime} /> },
              { name: 'Last seen', wide: true, cell: ({ lastSeenAt }) => <Time at={lastSeenAt} /> },
              {
                name: '',
                align: 'right',
                cell: ({ id, userAgent }) =>
                  canEnd && (
                    <Button
                      variant="subtle"
                      color="gray"
                      size="compact-xs"
                      aria-label={`End the session on ${deviceOf(userAgent)}`}
                      onClick={() =>
                        end.run(
                          { params: { path: { sessionId: id } } },
                          { done: 'Session ended', change: 'End session' },
                        )
                      }
                    >
                      End
                    </Button>
                  ),
              },
            ]}
          />
        )}
      </Loaded>
    </Card>
  );
}
