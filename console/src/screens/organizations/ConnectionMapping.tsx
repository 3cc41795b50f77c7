import { ActionIcon, Button, TextInput } from '@mantine/core';
import type { OrganizationConnection } from '#api/records.ts';
import { Fields, FieldsFault, type RecordForm } from '#ui/form.tsx';
import { RemoveIcon } from '#ui/icons.ts';
import { Card } from '#ui/page.tsx';
import classes from '../authorization/authorization.module.css';
import { RoleSelect } from './RoleChoices.tsx';

type Attributes = OrganizationConnection['attributes'];
/** How a connection reads what its identity provider sends. A group and its roles are a row, also while its name is typed. */
export type Mapping = { attributes: Attributes; groupRoles: readonly GroupRoles[] };
type GroupRoles = { group: string; roles: string[] };

export function mappingOf({ attributes, groupRoles }: OrganizationConnection): Mapping {
  return { attributes, groupRoles: Object.entries(groupRoles).map(([group, roles]) => ({ group, roles })) };
}

/** What a change of the mapping sends. Without a name, an attribute has its usual one; rows of one group are joined. */
export function mappingBody({ attributes, groupRoles }: Partial<Mapping>) {
  return {
    ...(attributes && { attributes: Object.fromEntries(Object.entries(attributes).filter(([, name]) => name !== '')) }),
    ...(groupRoles && { groupRoles: joined(groupRoles) }),
  };
}

function joined(rows: readonly GroupRoles[]): Record<string, string[]> {
  const all = new Map<string, string[]>();
  for (const { group, roles } of rows) all.set(group, [...new Set([...(all.get(group) ?? []), ...roles])]);
  return Object.fromEntries(all);
}

type Props = { form: RecordForm<Mapping>; canWrite: boolean };

const ATTRIBUTES: readonly { key: keyof Attributes; label: string }[] = [
  { key: 'email', label: 'Email address' },
  { key: 'givenName', label: 'Given name' },
  { key: 'familyName', label: 'Family name' },
  { key: 'displayName', label: 'Full name' },
  { key: 'groups', label: 'Groups' },
];

export function AttributeFields({ form: { values, errors, set }, canWrite }: Props) {
  return (
    <Card
      split
      title="Attributes"
      about="The names under which the identity provider sends them. Empty: the usual name."
    >
      <Fields canWrite={canWrite}>
        {ATTRIBUTES.map(({ key, label }) => (
          <TextInput
            key={key}
            label={label}
            maxLength={500}
            value={values.attributes[key]}
            onChange={({ currentTarget: { value } }) => set({ attributes: { ...values.attributes, [key]: value } })}
          />
        ))}
        <FieldsFault>{errors.attributes}</FieldsFault>
      </Fields>
    </Card>
  );
}

export function GroupFields({ form: { values, errors, set }, canWrite }: Props) {
  const rows = values.groupRoles;
  const replace = (index: number, changes: Partial<GroupRoles>) =>
    set({ groupRoles: rows.map((row, at) => (at === index ? { ...row, ...changes } : row)) });
  return (
    <Card
      split
      title="Roles by group"
      about="At each sign-in, people get the roles of their groups and lose the other roles that are named here."
    >
      <Fields canWrite={canWrite}>
        {rows.map(({ group, roles }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a row has no other identity while its group is typed
          <div key={index} className={classes.row}>
            <TextInput
              required
              label="Group"
              maxLength={200}
              value={group}
              onChange={({ currentTarget: { value } }) => replace(index, { group: value })}
            />
            <RoleSelect label="Roles" chosen={roles} onChange={(chosen) => replace(index, { roles: chosen })} />
            {canWrite && (
              <ActionIcon
                variant="subtle"
                color="gray"
                size="input-sm"
                aria-label={`Remove the group ${group || index + 1}`}
                onClick={() => set({ groupRoles: rows.filter((_, at) => at !== index) })}
              >
                <RemoveIcon size={16} aria-hidden />
              </ActionIcon>
            )}
          </div>
        ))}
        <FieldsFault>{errors.groupRoles}</FieldsFault>
        {canWrite && (
          <Button
            variant="default"
            w="fit-content"
            onClick={() => set({ groupRoles: [...rows, { group: '', roles: [] }] })}
          >
            Add group
          </Button>
        )}
      </Fields>
    </Card>
  );
}
