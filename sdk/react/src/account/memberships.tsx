import type { ReactNode } from 'react';
import { Button } from '../fields.tsx';
import { useOrganization } from '../provider.tsx';
import { useSay } from '../texts/form-texts.ts';
import { Confirmed, Row } from './rows.tsx';
import { Section, type SectionProps } from './section.tsx';

/** The organizations of the person, and those that they are invited to. */
export function OrganizationsSection(props: SectionProps): ReactNode {
  const { organizations, invitations } = props.data;
  if (organizations.length === 0 && invitations.length === 0) return null;
  return (
    <Section title="organizations">
      <ul className="latchkey-list">
        {invitations.map((invitation) => (
          <Invited key={invitation.id} {...props} invitation={invitation} />
        ))}
        {organizations.map((organization) => (
          <Organization key={organization.id} {...props} own={organization} />
        ))}
      </ul>
    </Section>
  );
}

type InvitedProps = SectionProps & { invitation: SectionProps['data']['invitations'][number] };

function Invited({ invitation, methods, change, isBusy }: InvitedProps): ReactNode {
  const { say } = useSay();
  const { id, organization, roles, organizationRoles } = invitation;
  const name = organization?.name ?? methods?.projectName ?? '';
  const accept = () =>
    change((client) => client.post('/v1/me/invitations/{invitationId}/accept', { path: { invitationId: id } }));
  const decline = () =>
    change((client) => client.post('/v1/me/invitations/{invitationId}/decline', { path: { invitationId: id } }));
  return (
    <Row title={name} note={[say('invited'), ...roles, ...organizationRoles].join(', ')}>
      <Button kind="main" aria-label={`${say('accept')}: ${name}`} disabled={isBusy} onClick={accept}>
        {say('accept')}
      </Button>
      <Confirmed
        action={say('decline')}
        of={name}
        question={say('declineAsk', { name })}
        isBusy={isBusy}
        onConfirm={decline}
      />
    </Row>
  );
}

type OrganizationProps = SectionProps & { own: SectionProps['data']['organizations'][number] };

function Organization({ own, change, isBusy }: OrganizationProps): ReactNode {
  const { say } = useSay();
  const { organization, switchOrganization } = useOrganization();
  const { id, name, status, roles } = own;
  const isCurrent = organization === id;
  const leave = () =>
    change(async (client) => {
      // Sessions in an organization end with the membership, so this one leaves first.
      if (isCurrent) await switchOrganization(null);
      try {
        await client.delete('/v1/me/organizations/{organizationId}', { path: { organizationId: id } });
      } catch (error) {
        if (isCurrent) await switchOrganization(id);
        throw error;
      }
    });
  return (
    <Row title={name} note={[...(isCurrent ? [say('current')] : []), ...roles].join(', ')}>
      {!isCurrent && status === 'active' && (
        <Button
          aria-label={`${say('switch')}: ${name}`}
          disabled={isBusy}
          onClick={() => change(() => switchOrganization(id))}
        >
          {say('switch')}
        </Button>
      )}
      <Confirmed
        action={say('leave')}
        of={name}
        question={say('leaveAsk', { name })}
        isBusy={isBusy}
        onConfirm={leave}
      />
    </Row>
  );
}
