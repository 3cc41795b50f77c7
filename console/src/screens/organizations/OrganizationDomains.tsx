import { Button, Switch, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { Organization } from '#api/records.ts';
import { useApi, useCan } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { useAction } from '#ui/action.ts';
import { StateBadge } from '#ui/badge.tsx';
import { FormDialog, useFaults } from '#ui/dialog.tsx';
import { SettingsCard, useRecordForm } from '#ui/form.tsx';
import { Card } from '#ui/page.tsx';
import { Empty, Loaded } from '#ui/states.tsx';
import { Table } from '#ui/table.tsx';
import { Time } from '#ui/time.tsx';
import { CustomDomains } from './CustomDomains.tsx';
import { OrganizationPage, type OrganizationProps } from './OrganizationPage.tsx';

export function OrganizationDomains() {
  const canWrite = useCan('organizations:write');
  const canReadDomains = useCan('domains:read');
  return (
    <OrganizationPage>
      {({ organization, reread }) => (
        <>
          <List organization={organization} canWrite={canWrite} />
          {canReadDomains && <CustomDomains organizationId={organization.id} />}
          <Invited organization={organization} reread={reread} canWrite={canWrite} />
        </>
      )}
    </OrganizationPage>
  );
}

function List({ organization, canWrite }: { organization: Organization; canWrite: boolean }) {
  const at = useAt();
  const [open, { open: show, close }] = useDisclosure(false);
  const domains = useApi().useQuery('get', '/console/v1/organizations/{organizationId}/domains', {
    params: { path: { organizationId: organization.id }, query: { limit: 100 } },
  });
  return (
    <Card
      flush
      title="Mail domains"
      about="The domains of the company’s mail addresses, proved by a DNS record."
      actions={canWrite && <Button onClick={show}>Add domain</Button>}
    >
      <Loaded query={domains}>
        {({ items }) => (
          <Table
            label="Mail domains"
            rows={items}
            keyOf={({ id }) => id}
            href={({ id }) => at(`/organizations/${organization.id}/domains/${id}`)}
            empty={
              <Empty title="No mail domains yet">
                People with a verified address at a mail domain can join this organization when they sign in.
              </Empty>
            }
            columns={[
              { name: 'Domain', cell: ({ host }) => host },
              { name: 'State', cell: ({ status }) => <StateBadge state={status} /> },
              { name: 'Joining', wide: true, cell: ({ autoJoin }) => (autoJoin ? 'At sign-in' : 'By invitation') },
              { name: 'Checked', wide: true, cell: ({ checkedAt }) => <Time at={checkedAt} none="Not yet" /> },
              { name: 'Added', wide: true, align: 'right', cell: ({ createdAt }) => <Time at={createdAt} /> },
            ]}
          />
        )}
      </Loaded>
      {open && <NewDomain organizationId={organization.id} onClose={close} />}
    </Card>
  );
}

function NewDomain({ organizationId, onClose }: { organizationId: string; onClose: () => void }) {
  const [host, setHost] = useState('');
  const { faults, onProblem } = useFaults('host');
  const create = useAction(useApi().useMutation('post', '/console/v1/organizations/{organizationId}/domains'));
  const navigate = useNavigate();
  const at = useAt();
  const submit = async () => {
    const made = await create.run(
      { params: { path: { organizationId } }, body: { host: host.trim() } },
      { done: ({ host: added }) => `${added} added`, change: 'Add domain', onProblem },
    );
    if (made) await navigate({ to: at(`/organizations/${organizationId}/domains/${made.id}`) });
  };
  return (
    <FormDialog title="Add a mail domain" action="Add" busy={create.busy} onSubmit={submit} onClose={onClose}>
      <TextInput
        data-autofocus
        required
        label="Domain"
        description="The part of mail addresses behind the @."
        placeholder="example.com"
        maxLength={253}
        value={host}
        error={faults['host']}
        onChange={({ currentTarget: { value } }) => setHost(value)}
      />
    </FormDialog>
  );
}

function Invited({ organization, reread, canWrite }: OrganizationProps & { canWrite: boolean }) {
  const change = useApi().useMutation('patch', '/console/v1/organizations/{organizationId}');
  const { id, invitesVerifiedDomainsOnly } = organization;
  const record = useMemo(() => ({ invitesVerifiedDomainsOnly }), [invitesVerifiedDomainsOnly]);
  const form = useRecordForm({
    record,
    path: `/console/v1/organizations/${id}`,
    save: {
      isPending: change.isPending,
      mutateAsync: ({ changes, headers }) =>
        change.mutateAsync({ params: { path: { organizationId: id } }, body: changes, headers }),
    },
    reread,
    done: 'Organization saved',
    undone: 'Change undone',
  });
  return (
    <SettingsCard title="Invitations" form={form} canWrite={canWrite}>
      <Switch
        label="Invite only addresses at verified mail domains"
        description="Without a verified domain, nobody can be invited."
        checked={form.values.invitesVerifiedDomainsOnly}
        onChange={({ currentTarget: { checked } }) => form.set({ invitesVerifiedDomainsOnly: checked })}
      />
    </SettingsCard>
  );
}
