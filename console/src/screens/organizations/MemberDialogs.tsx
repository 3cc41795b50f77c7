import { useState } from 'react';
import type { Organization } from '#api/records.ts';
import { useApi } from '#api/scope.tsx';
import { useAction } from '#ui/action.ts';
import { FormDialog, useFaults } from '#ui/dialog.tsx';
import { MemberSelect } from '../people/MemberSelect.tsx';
import { RoleChoices } from './RoleChoices.tsx';

type AddProps = { organization: Organization; onClose: () => void };

/** Adds a member of the project, who is searched for by name or address. */
export function AddOrganizationMember({ organization, onClose }: AddProps) {
  const [memberId, setMemberId] = useState<string | null>(null);
  const [roles, setRoles] = useState<string[]>([]);
  const { faults, onProblem } = useFaults('memberId');
  const add = useAction(useApi().useMutation('post', '/console/v1/organizations/{organizationId}/members'));
  const submit = async () => {
    if (memberId === null) return;
    const init = { params: { path: { organizationId: organization.id } }, body: { memberId, roles } };
    if (await add.run(init, { done: 'Member added', change: 'Add member', onProblem })) onClose();
  };
  return (
    <FormDialog
      title={`Add a member to ${organization.name}`}
      action="Add"
      ready={memberId !== null}
      busy={add.busy}
      onSubmit={submit}
      onClose={onClose}
    >
      <MemberSelect autofocus label="Member" value={memberId} error={faults['memberId']} onChange={setMemberId} />
      <RoleChoices chosen={roles} onChange={setRoles} />
    </FormDialog>
  );
}

type RolesProps = {
  path: { organizationId: string; memberId: string };
  name: string;
  roles: readonly string[];
  onClose: () => void;
};

export function RolesInOrganization({ path, name, roles, onClose }: RolesProps) {
  const [chosen, setChosen] = useState<string[]>([...roles]);
  const replacing = useApi().useMutation('put', '/console/v1/organizations/{organizationId}/members/{memberId}/roles');
  const replace = useAction(replacing);
  const to = (given: readonly string[]) => ({ params: { path }, body: { roles: [...given] } });
  const submit = async () => {
    const undo = { act: () => replacing.mutateAsync(to(roles)), done: 'Change undone' };
    if (await replace.run(to(chosen), { done: 'Roles changed', change: 'Change roles', undo })) onClose();
  };
  return (
    <FormDialog title={`Roles of ${name}`} action="Save" busy={replace.busy} onSubmit={submit} onClose={onClose}>
      <RoleChoices chosen={chosen} onChange={setChosen} />
    </FormDialog>
  );
}
