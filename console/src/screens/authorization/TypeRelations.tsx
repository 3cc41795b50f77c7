import { ActionIcon, Button, MultiSelect, TextInput } from '@mantine/core';
import type { ResourceType } from '#api/records.ts';
import { useApi } from '#api/scope.tsx';
import { Fields, FieldsFault, type RecordForm } from '#ui/form.tsx';
import { RemoveIcon } from '#ui/icons.ts';
import { Card } from '#ui/page.tsx';
import classes from './authorization.module.css';

type Relation = ResourceType['relations'][number];
type Props = { form: RecordForm<ResourceType>; canWrite: boolean };

/** The relations of a type, one row each, with the permissions that they give. */
export function TypeRelations({ form, canWrite }: Props) {
  const { relations } = form.values;
  const known = useApi().useQuery('get', '/console/v1/permissions', { params: { query: { limit: 100 } } });
  const own = (known.data?.items ?? []).filter(({ builtIn }) => !builtIn).map(({ key }) => key);
  const replace = (index: number, changes: Partial<Relation>) =>
    form.set({ relations: relations.map((one, at) => (at === index ? { ...one, ...changes } : one)) });
  return (
    <Card split title="Relations" about="What people, organizations and groups can be to a resource of this type.">
      <Fields canWrite={canWrite}>
        {relations.map(({ key, permissions }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a row has no other identity while its key is typed
          <div key={index} className={classes.row}>
            <TextInput
              required
              label="Relation"
              placeholder="editor"
              maxLength={50}
              value={key}
              onChange={({ currentTarget: { value } }) => replace(index, { key: value })}
            />
            <MultiSelect
              searchable
              label="Permissions"
              data={[...new Set([...own, ...permissions])]}
              nothingFoundMessage="Add permissions on the screen “Roles” first"
              value={permissions}
              onChange={(chosen) => replace(index, { permissions: chosen })}
            />
            {canWrite && (
              <ActionIcon
                variant="subtle"
                color="gray"
                size="input-sm"
                aria-label={`Remove the relation ${key || index + 1}`}
                onClick={() => form.set({ relations: relations.filter((_, at) => at !== index) })}
              >
                <RemoveIcon size={16} aria-hidden />
              </ActionIcon>
            )}
          </div>
        ))}
        <FieldsFault>{form.errors.relations}</FieldsFault>
        {canWrite && (
          <Button
            variant="default"
            w="fit-content"
            onClick={() => form.set({ relations: [...relations, { key: '', permissions: [] }] })}
          >
            Add relation
          </Button>
        )}
      </Fields>
    </Card>
  );
}
