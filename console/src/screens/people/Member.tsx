import type { Member as MemberRecord } from '#api/records.ts';
import { useApi, useCan } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { StateBadge } from '#ui/badge.tsx';
import { CodeBlock, Copy } from '#ui/copy.tsx';
import { Card, Columns, Facts, Page } from '#ui/page.tsx';
import { useIdInAddress } from '#ui/search.ts';
import { Loaded } from '#ui/states.tsx';
import { Time } from '#ui/time.tsx';
import { Impersonations } from './Impersonations.tsx';
import { MemberAccess } from './MemberAccess.tsx';
import { MemberActions } from './MemberActions.tsx';
import { MemberEvents } from './MemberEvents.tsx';
import { MemberOrganizations } from './MemberOrganizations.tsx';
import { MemberRoles } from './MemberRoles.tsx';
import { MemberSessions } from './MemberSessions.tsx';
import { nameOf } from './members.ts';

export function Member() {
  const memberId = useIdInAddress();
  const member = useApi().useQuery('get', '/console/v1/members/{memberId}', { params: { path: { memberId } } });
  return <Loaded query={member}>{(record) => <Detail member={record} />}</Loaded>;
}

function Detail({ member }: { member: MemberRecord }) {
  const at = useAt();
  return (
    <Page
      title={nameOf(member)}
      back={{ to: at('/members'), label: 'Members' }}
      beside={<StateBadge state={member.status} />}
      actions={useCan('members:write') ? <MemberActions member={member} /> : null}
    >
      <Columns>
        <Card title="Identity">
          <Facts
            facts={[
              [
                'Email',
                member.email ? <Address key="email" value={member.email} verified={member.emailVerified} /> : '–',
              ],
              [
                'Phone',
                member.phone ? <Address key="phone" value={member.phone} verified={member.phoneVerified} /> : '–',
              ],
              ['Username', member.username ?? '–'],
              ['Second factor', member.mfaEnabled ? 'On' : 'Off'],
              ['Last seen', <Time key="seen" at={member.lastSeenAt} none="Never" />],
              ['Joined', <Time key="joined" at={member.createdAt} />],
              ['Member id', <Copy key="id" value={member.id} />],
              ['User id', <Copy key="user" value={member.userId} />],
            ]}
          />
        </Card>
        <MemberRoles member={member} />
      </Columns>
      <MemberAccess member={member} />
      {useCan('organizations:read') && <MemberOrganizations member={member} />}
      {useCan('sessions:read') && <MemberSessions member={member} />}
      {useCan('sessions:read') && <Impersonations member={member} />}
      {useCan('audit:read') && <MemberEvents member={member} />}
      {Object.keys(member.metadata).length > 0 && (
        <Card title="Metadata" about="Data that your back end stores with this member.">
          <CodeBlock code={JSON.stringify(member.metadata, null, 2)} name="the metadata" />
        </Card>
      )}
    </Page>
  );
}

function Address({ value, verified }: { value: string; verified: boolean }) {
  return (
    <>
      {value} <StateBadge state={verified ? 'verified' : 'not verified'} />
    </>
  );
}
