import { Button } from '@mantine/core';
import type { Member as MemberRecord } from '#api/records.ts';
import { useApi, useCan } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { useAction } from '#ui/action.ts';
import { BlockButton } from '#ui/BlockButton.tsx';
import { StateBadge } from '#ui/badge.tsx';
import { CodeBlock, Copy } from '#ui/copy.tsx';
import { Card, Columns, Facts, Page } from '#ui/page.tsx';
import { RemoveButton } from '#ui/RemoveButton.tsx';
import { useIdInAddress } from '#ui/search.ts';
import { Loaded } from '#ui/states.tsx';
import { Time } from '#ui/time.tsx';
import { Impersonations } from './Impersonations.tsx';
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

function Remove({ member }: { member: MemberRecord }) {
  const at = useAt();
  return (
    <RemoveButton
      name={nameOf(member)}
      body="They lose access to this project and their roles immediately. This can’t be undone."
      mutation={useApi().useMutation('delete', '/console/v1/members/{memberId}')}
      init={{ params: { path: { memberId: member.id } } }}
      back={at('/members')}
    />
  );
}

function MemberActions({ member }: { member: MemberRecord }) {
  const api = useApi();
  const password = useAction(api.useMutation('post', '/console/v1/members/{memberId}/reset-password'));
  const factors = useAction(api.useMutation('post', '/console/v1/members/{memberId}/reset-mfa'));
  const init = { params: { path: { memberId: member.id } } };
  const name = nameOf(member);
  return (
    <>
      {member.email && (
        <Button
          variant="default"
          loading={password.busy}
          onClick={() =>
            password.run(init, {
              done: `Password reset sent to ${member.email}`,
              question: {
                title: `Send ${name} a password reset?`,
                body: 'Their password stays valid until they choose a new one.',
                action: 'Send',
              },
            })
          }
        >
          Reset password
        </Button>
      )}
      {member.mfaEnabled && (
        <Button
          variant="default"
          loading={factors.busy}
          onClick={() =>
            factors.run(init, {
              done: 'Second factors removed',
              question: {
                title: `Remove the second factors of ${name}?`,
                body: 'They sign in without one until they set one up again, or until the policy requires it.',
                action: 'Remove',
                danger: true,
                typeName: name,
              },
            })
          }
        >
          Reset second factors
        </Button>
      )}
      <BlockButton
        name={name}
        blocked={member.status === 'blocked'}
        body="Their sessions in this project end immediately, and they can’t sign in to it until they are unblocked."
        blocking={api.useMutation('post', '/console/v1/members/{memberId}/block')}
        unblocking={api.useMutation('post', '/console/v1/members/{memberId}/unblock')}
        init={init}
      />
      <Remove member={member} />
    </>
  );
}
