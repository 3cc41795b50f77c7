import { Button, Switch } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import type { OrganizationDomain as DomainRecord } from '#api/records.ts';
import { useApi, useCan } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { useAction } from '#ui/action.ts';
import { StateBadge } from '#ui/badge.tsx';
import { FormDialog, useFaults } from '#ui/dialog.tsx';
import { Card, Facts, Page } from '#ui/page.tsx';
import { RemoveButton } from '#ui/RemoveButton.tsx';
import { useIdInAddress } from '#ui/search.ts';
import { Loaded } from '#ui/states.tsx';
import { Proof, untilVerified } from '../domains/Proof.tsx';
import { OrganizationRoleNames, RoleChoices } from './RoleChoices.tsx';

type Path = { organizationId: string; domainId: string };

/** A mail domain of an organization. */
export function OrganizationDomain() {
  const path = { organizationId: useIdInAddress(), domainId: useIdInAddress('domain') };
  const domain = useApi().useQuery(
    'get',
    '/console/v1/organizations/{organizationId}/domains/{domainId}',
    { params: { path } },
    { refetchInterval: untilVerified },
  );
  return <Loaded query={domain}>{(record) => <Detail path={path} domain={record} />}</Loaded>;
}

type DetailProps = { path: Path; domain: DomainRecord };

function Detail({ path, domain }: DetailProps) {
  const at = useAt();
  const api = useApi();
  const canWrite = useCan('organizations:write');
  const back = at(`/organizations/${path.organizationId}/domains`);
  const init = { params: { path } };
  const remove = api.useMutation('delete', '/console/v1/organizations/{organizationId}/domains/{domainId}');
  return (
    <Page
      title={domain.host}
      back={{ to: back, label: 'Mail domains' }}
      beside={<StateBadge state={domain.status} />}
      actions={
        canWrite && (
          <RemoveButton
            name={domain.host}
            body="People no longer join by this domain. Those who joined stay members."
            mutation={remove}
            init={init}
            back={back}
          />
        )
      }
    >
      <Proof
        domain={domain}
        canWrite={canWrite}
        lost="The record is missing, so nobody joins by this domain. Add the record above and check."
        mutation={api.useMutation('post', '/console/v1/organizations/{organizationId}/domains/{domainId}/verify')}
        init={init}
      />
      <Joining path={path} domain={domain} canWrite={canWrite} />
    </Page>
  );
}

function Joining({ path, domain, canWrite }: DetailProps & { canWrite: boolean }) {
  const [open, { open: show, close }] = useDisclosure(false);
  const { autoJoin, roles, status } = domain;
  return (
    <Card
      title="Joining"
      about={status === 'verified' ? undefined : 'Applies when the domain is verified.'}
      actions={
        canWrite && (
          <Button variant="default" size="compact-sm" onClick={show}>
            Change
          </Button>
        )
      }
    >
      <Facts
        facts={[
          ['Members join', autoJoin ? 'At sign-in, with a verified address' : 'By invitation only'],
          ...(autoJoin ? [['Roles', <OrganizationRoleNames key="roles" roles={roles} />] as const] : []),
        ]}
      />
      {open && <ChangeJoining path={path} domain={domain} onClose={close} />}
    </Card>
  );
}

/** The role that a domain cannot grant. */
const OWNER = 'owner';

function ChangeJoining({ path, domain, onClose }: DetailProps & { onClose: () => void }) {
  const [autoJoin, setAutoJoin] = useState(domain.autoJoin);
  const [roles, setRoles] = useState(domain.roles);
  const { faults, onProblem } = useFaults();
  const changing = useApi().useMutation('patch', '/console/v1/organizations/{organizationId}/domains/{domainId}');
  const change = useAction(changing);
  const submit = async () => {
    const before = { autoJoin: domain.autoJoin, roles: domain.roles };
    const undo = { act: () => changing.mutateAsync({ params: { path }, body: before }), done: 'Change undone' };
    const init = { params: { path }, body: { autoJoin, roles } };
    if (await change.run(init, { done: 'Joining changed', change: 'Change', undo, onProblem })) onClose();
  };
  return (
    <FormDialog
      title={`Joining by ${domain.host}`}
      action="Save"
      busy={change.busy}
      onSubmit={submit}
      onClose={onClose}
    >
      <Switch
        data-autofocus
        label="Add people at sign-in"
        description={`People with a verified address at ${domain.host} become members with these roles. People who left or were removed come back by invitation only.`}
        checked={autoJoin}
        error={faults['roles']}
        onChange={({ currentTarget: { checked } }) => setAutoJoin(checked)}
      />
      {autoJoin && <RoleChoices chosen={roles} onChange={setRoles} without={OWNER} />}
    </FormDialog>
  );
}
