import { Button, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import { useApi, useCan } from '#api/scope.tsx';
import { useAction } from '#ui/action.ts';
import { FormDialog, useFaults } from '#ui/dialog.tsx';
import { FilterBar, TextFilter } from '#ui/filters.tsx';
import { Card, Page } from '#ui/page.tsx';
import { useFilters } from '#ui/search.ts';
import { Empty, Loaded, Needs } from '#ui/states.tsx';
import { Below, Pager, Table } from '#ui/table.tsx';
import { Time } from '#ui/time.tsx';
import { AuthorizationTabs } from './AuthorizationTabs.tsx';

const PATH = '/console/v1/authorization/relations';

/** What the server takes as a resource or subject. Half of it, while somebody types, is no fault. */
const REFERENCE = /^[a-z][a-z0-9_-]{1,49}:[\x21-\x7e]{1,200}$/;

type Relation = { resource: string; relation: string; subject: string };

export function Relations() {
  const [open, { open: show, close }] = useDisclosure(false);
  const add = useCan('relations:write') && <Button onClick={show}>Add relation</Button>;
  return (
    <Page title="Authorization" about="Who has which relation to which resource." actions={add}>
      <AuthorizationTabs />
      <Needs permission="relations:read">
        <Card flush>
          <FilterBar>
            <TextFilter name="resource" label="Resource, such as document:7" />
            <TextFilter name="subject" label="Subject, such as user:usr_…" />
          </FilterBar>
          <List add={add} />
        </Card>
      </Needs>
      {open && <NewRelation onClose={close} />}
    </Page>
  );
}

function List({ add }: { add: ReactNode }) {
  const [{ cursor, resource, subject }] = useFilters();
  const canWrite = useCan('relations:write');
  const isFiltered = resource !== undefined || subject !== undefined;
  const isComplete = [resource, subject].every((filter) => filter === undefined || REFERENCE.test(filter));
  const query = { limit: 50, ...(cursor && { cursor }), ...(resource && { resource }), ...(subject && { subject }) };
  const relations = useApi().useQuery('get', PATH, { params: { query } }, { enabled: isComplete });
  if (!isComplete) return <Empty title="No relations match">Enter a type and an id, such as document:7.</Empty>;
  return (
    <Loaded query={relations}>
      {({ items, nextCursor }) => (
        <>
          <Table
            label="Relations"
            rows={items}
            keyOf={(row) => `${row.resource} ${row.relation} ${row.subject}`}
            empty={
              isFiltered ? (
                'No relations match'
              ) : (
                <Empty title="No relations yet" action={add}>
                  Your back end writes a relation whenever something is created or shared. Add a type first.
                </Empty>
              )
            }
            columns={[
              {
                name: 'Resource',
                cell: ({ resource: its, subject: whose }) => (
                  <>
                    {its}
                    <Below>{whose}</Below>
                  </>
                ),
              },
              { name: 'Relation', cell: ({ relation }) => relation },
              { name: 'Subject', wide: true, cell: ({ subject: whose }) => whose },
              { name: 'Expires', wide: true, cell: ({ expiresAt }) => (expiresAt ? <Time at={expiresAt} /> : '–') },
              { name: '', align: 'right', cell: (row) => canWrite && <RemoveRelation relation={row} /> },
            ]}
          />
          <Pager nextCursor={nextCursor} />
        </>
      )}
    </Loaded>
  );
}

function RemoveRelation({ relation: { resource, relation, subject } }: { relation: Relation }) {
  const change = useApi().useMutation('post', PATH);
  const remove = useAction(change);
  const one = { resource, relation, subject };
  const name = `${relation} of ${resource}`;
  const onRemove = () =>
    remove.run(
      { body: { delete: [one] } },
      {
        done: 'Relation removed',
        question: {
          title: `Remove “${name}”?`,
          body: `${subject} loses what this relation gives, here and below.`,
          action: 'Remove',
          danger: true,
        },
      },
    );
  return (
    <Button
      variant="subtle"
      color="gray"
      size="compact-xs"
      aria-label={`Remove ${name} from ${subject}`}
      onClick={onRemove}
    >
      Remove
    </Button>
  );
}

const FIELDS = [
  ['resource', 'Resource', 'Its type and id.', 'document:7'],
  ['relation', 'Relation', 'A relation of the type, or parent, or organization.', 'editor'],
  ['subject', 'Subject', 'A user, an organization, a role in one, a group, or a parent resource.', 'user:usr_…'],
] as const;

function NewRelation({ onClose }: { onClose: () => void }) {
  const [values, setValues] = useState<Relation>({ resource: '', relation: '', subject: '' });
  const { faults, onProblem } = useFaults('subject');
  const write = useAction(useApi().useMutation('post', PATH));
  const submit = async () => {
    const body = { write: [values] };
    if (await write.run({ body }, { done: 'Relation added', change: 'Add relation', onProblem })) onClose();
  };
  return (
    <FormDialog title="Add a relation" action="Add" busy={write.busy} onSubmit={submit} onClose={onClose}>
      {FIELDS.map(([field, label, description, placeholder], index) => (
        <TextInput
          key={field}
          data-autofocus={index === 0 || undefined}
          required
          label={label}
          description={description}
          placeholder={placeholder}
          maxLength={251}
          value={values[field]}
          error={faults[field]}
          onChange={({ currentTarget: { value } }) => setValues({ ...values, [field]: value.trim() })}
        />
      ))}
    </FormDialog>
  );
}
