import { Button } from '@mantine/core';
import type { Member, Session } from '#api/records.ts';
import { useApi, useCan } from '#api/scope.tsx';
import { useAction } from '#ui/action.ts';
import { countryName } from '#ui/countries.ts';
import { wayOf } from '#ui/methods.ts';
import { Card } from '#ui/page.tsx';
import { Loaded } from '#ui/states.tsx';
import { Below, Table } from '#ui/table.tsx';
import { Term } from '#ui/term.tsx';
import { Time } from '#ui/time.tsx';
import { deviceOf, nameOf } from './members.ts';

/** The sessions of a member, with buttons to end them. */
export function MemberSessions({ member }: { member: Member }) {
  const api = useApi();
  const sessions = api.useQuery('get', '/console/v1/sessions', {
    params: { query: { memberId: member.id, limit: 50 } },
  });
  const organizationsOf = useOrganizationsOf(member);
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
              {
                name: 'Device',
                cell: (session) => (
                  <>
                    {deviceOf(session.userAgent)}
                    {organizationsOf(session) && <Below>{organizationsOf(session)}</Below>}
                  </>
                ),
              },
              {
                name: 'Place',
                wide: true,
                cell: ({ ip, country }) => [ip, country && countryName(country)].filter(Boolean).join(' · ') || '–',
              },
              ...(items.some(organizationsOf)
                ? [{ name: 'Organizations', wide: true, cell: (session: Session) => organizationsOf(session) || '–' }]
                : []),
              {
                name: 'Method',
                wide: true,
                cell: ({ amr }) => <Term name={amr.join('+')}>{wayOf(amr.join('+'))}</Term>,
              },
              { name: 'Signed in', cell: ({ authTime }) => <Time at={authTime} /> },
              { name: 'Last seen', wide: true, cell: ({ lastSeenAt }) => <Time at={lastSeenAt} /> },
              {
                name: '',
                align: 'right',
                cell: (session) => canEnd && <EndSession session={session} />,
              },
            ]}
          />
        )}
      </Loaded>
    </Card>
  );
}

/** Returns the names of the organizations that a session is in; empty without the permission to read organizations. */
function useOrganizationsOf({ id: memberId }: Member): (session: Session) => string {
  const organizations = useApi().useQuery(
    'get',
    '/console/v1/organizations',
    { params: { query: { memberId, limit: 100 } } },
    { enabled: useCan('organizations:read') },
  );
  return ({ organizationIds }) =>
    (organizations.data?.items ?? [])
      .filter(({ id }) => organizationIds.includes(id))
      .map(({ name }) => name)
      .join(', ');
}

function EndSession({ session: { id, userAgent } }: { session: Session }) {
  const end = useAction(useApi().useMutation('delete', '/console/v1/sessions/{sessionId}'));
  return (
    <Button
      variant="subtle"
      color="gray"
      size="compact-xs"
      aria-label={`End the session on ${deviceOf(userAgent)}`}
      onClick={() => end.run({ params: { path: { sessionId: id } } }, { done: 'Session ended', change: 'End session' })}
    >
      End
    </Button>
  );
}
