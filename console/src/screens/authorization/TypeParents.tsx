import { Button, Group, Select, Stack, Text } from '@mantine/core';
import type { ResourceType } from '#api/records.ts';
import { useApi } from '#api/scope.tsx';
import { Fields, type RecordForm } from '#ui/form.tsx';
import { Card } from '#ui/page.tsx';

type Parent = ResourceType['parents'][number];
type Props = { form: RecordForm<ResourceType>; canWrite: boolean };

/** The types of parents, and what a relation to a parent makes of its holder here. */
export function TypeParents({ form, canWrite }: Props) {
  const { parents, key } = form.values;
  const types = useApi().useQuery('get', '/console/v1/authorization/types', { params: { query: { limit: 100 } } });
  const known = types.data?.items ?? [];
  const free = known.filter((type) => !parents.some((parent) => parent.type === type.key));
  const set = (changed: Parent) =>
    form.set({ parents: parents.map((parent) => (parent.type === changed.type ? changed : parent)) });
  const relationsOf = (typeKey: string) =>
    keysOf((typeKey === key ? form.values : known.find((type) => type.key === typeKey))?.relations ?? []);
  return (
    <Card
      split
      title="Parents"
      about="Resources that contain resources of this type, such as folders. Relations to them are inherited as chosen here."
    >
      <Fields canWrite={canWrite}>
        {parents.map((parent) => (
          <Inheritance
            key={parent.type}
            parent={parent}
            from={relationsOf(parent.type)}
            to={keysOf(form.values.relations)}
            onChange={set}
            {...(canWrite && {
              onRemove: () => form.set({ parents: parents.filter(({ type }) => type !== parent.type) }),
            })}
          />
        ))}
        {form.errors.parents !== undefined && (
          <Text size="sm" c="var(--lk-bad)" role="alert">
            {form.errors.parents}
          </Text>
        )}
        {canWrite && (
          <Select
            label="Add a type of parents"
            placeholder="Type"
            maw={320}
            disabled={free.length === 0}
            data={free.map((type) => ({ value: type.key, label: type.name }))}
            value={null}
            onChange={(type) => type !== null && form.set({ parents: [...parents, { type, inherits: {} }] })}
          />
        )}
      </Fields>
    </Card>
  );
}

/** Without those of rows that are being typed: a choice of one key twice, or of an empty one, is none. */
function keysOf(relations: ResourceType['relations']): string[] {
  return [...new Set(relations.map((relation) => relation.key))].filter((relation) => relation !== '');
}

type InheritanceProps = {
  parent: Parent;
  from: readonly string[];
  to: readonly string[];
  onChange: (parent: Parent) => void;
  onRemove?: () => void;
};

function Inheritance({ parent: { type, inherits }, from, to, onChange, onRemove }: InheritanceProps) {
  const choose = (relation: string, chosen: string | null) => {
    const { [relation]: _before, ...others } = inherits;
    onChange({ type, inherits: chosen === null ? others : { ...others, [relation]: chosen } });
  };
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Text fw={600} size="sm">
          {type}
        </Text>
        {onRemove && (
          <Button variant="subtle" color="gray" size="compact-xs" onClick={onRemove}>
            Remove {type}
          </Button>
        )}
      </Group>
      {from.map((relation) => (
        <Select
          key={relation}
          clearable
          maw={320}
          label={`“${relation}” of the ${type} is here`}
          placeholder="nothing"
          data={[...to]}
          value={inherits[relation] ?? null}
          onChange={(chosen) => choose(relation, chosen)}
          clearButtonProps={{ 'aria-label': `Clear ${relation}` }}
        />
      ))}
    </Stack>
  );
}
