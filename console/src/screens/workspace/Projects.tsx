import { Button, Stack, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useApi, useCan } from '#api/scope.tsx';
import { useHere } from '#shell/place.ts';
import { useAction } from '#ui/action.ts';
import { Badge } from '#ui/badge.tsx';
import { Copy } from '#ui/copy.tsx';
import { FormDialog, useFaults } from '#ui/dialog.tsx';
import { FilterBar, TextFilter } from '#ui/filters.tsx';
import { longDay } from '#ui/moments.ts';
import { Card, Page } from '#ui/page.tsx';
import { useFilters } from '#ui/search.ts';
import { Empty, Loaded } from '#ui/states.tsx';
import { Pager, Table } from '#ui/table.tsx';
import { Time } from '#ui/time.tsx';
import { RestoreProject } from './Deletion.tsx';

export function Projects() {
  const { workspace } = useHere();
  const [open, { open: show, close }] = useDisclosure(false);
  const [{ q, cursor }] = useFilters();
  const query = { limit: 50, ...(q && { q }), ...(cursor && { cursor }) };
  const projects = useApi().useQuery(
    'get',
    '/console/v1/projects',
    { params: { query } },
    { placeholderData: (before) => before },
  );
  const add = useCan('projects:write') ? <Button onClick={show}>Add project</Button> : null;
  return (
    <Page
      title="Projects"
      about="A project is one product: its own members, applications and settings, in test and in production."
      actions={add}
    >
      <Card flush>
        <FilterBar>
          <TextFilter name="q" label="Find a project" />
        </FilterBar>
        <Loaded query={projects}>
          {({ items, nextCursor }) => (
            <>
              <Table
                label="Projects"
                rows={items}
                keyOf={({ id }) => id}
                href={({ id, deletesAt }) => (deletesAt ? null : `/${workspace}/${id}/test`)}
                empty={q ? <Empty title="No matching projects" /> : <Empty title="No projects yet" action={add} />}
                columns={[
                  { name: 'Project', cell: (project) => <NameAndEnd project={project} /> },
                  {
                    name: 'Id',
                    wide: true,
                    cell: ({ id }) => (
                      <span data-above>
                        <Copy value={id} />
                      </span>
                    ),
                  },
                  { name: 'Added', wide: true, align: 'right', cell: ({ createdAt }) => <Time at={createdAt} /> },
                  {
                    name: '',
                    align: 'right',
                    cell: (project) => project.deletesAt && <RestoreProject project={project} />,
                  },
                ]}
              />
              <Pager nextCursor={nextCursor} />
            </>
          )}
        </Loaded>
      </Card>
      {open && <NewProject onClose={close} />}
    </Page>
  );
}

function NameAndEnd({ project: { name, deletesAt } }: { project: { name: string; deletesAt: string | null } }) {
  if (!deletesAt) return name;
  return (
    <Stack gap={4} align="flex-start">
      {name}
      <Badge tone="bad">Will be deleted on {longDay(deletesAt)}</Badge>
    </Stack>
  );
}

function NewProject({ onClose }: { onClose: () => void }) {
  const { workspace } = useHere();
  const [name, setName] = useState('');
  const { faults, onProblem } = useFaults();
  const create = useAction(useApi().useMutation('post', '/console/v1/projects'));
  const navigate = useNavigate();
  const submit = async () => {
    const made = await create.run({ body: { name } }, { done: `${name} added`, onProblem });
    if (made) await navigate({ to: `/${workspace}/${made.id}/test` });
  };
  return (
    <FormDialog title="Add a project" action="Add" busy={create.busy} onSubmit={submit} onClose={onClose}>
      <TextInput
        data-autofocus
        required
        label="Name"
        description="The name of the product."
        maxLength={100}
        value={name}
        error={faults['name']}
        onChange={({ currentTarget: { value } }) => setName(value)}
      />
    </FormDialog>
  );
}
