import { Button, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useApi, useCan, useClient } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { useAction } from '#ui/action.ts';
import { StateBadge, sentence } from '#ui/badge.tsx';
import { FormDialog, useFaults } from '#ui/dialog.tsx';
import { ChoiceFilter, TextFilter } from '#ui/filters.tsx';
import { List } from '#ui/list.tsx';
import { Page } from '#ui/page.tsx';
import { useFilters, useNewDialog } from '#ui/search.ts';
import { Empty } from '#ui/states.tsx';
import { Below } from '#ui/table.tsx';
import { Time } from '#ui/time.tsx';
import { OrganizationTabs } from './OrganizationTabs.tsx';

const STATUSES = ['active', 'blocked'] as const;

export function Organizations() {
  const at = useAt();
  const [filters] = useFilters();
  const { q, cursor } = filters;
  const status = STATUSES.find((known) => known === filters['status']);
  const wanted = { ...(q && { q }), ...(status && { status }) };
  const query = { limit: 50, ...wanted, ...(cursor && { cursor }) };
  const client = useClient();
  const organizations = useApi().useQuery(
    'get',
    '/console/v1/organizations',
    { params: { query } },
    { placeholderData: (before) => before },
  );
  const [open, { open: show, close }] = useNewDialog();
  const add = useCan('organizations:write') ? <Button onClick={show}>Add organization</Button> : null;
  return (
    <Page
      title="Organizations"
      about="The companies, teams or schools that members of this project belong to."
      actions={add}
    >
      <OrganizationTabs />
      <List
        query={organizations}
        readPage={(page) => client.GET('/console/v1/organizations', { params: { query: { ...wanted, ...page } } })}
        filters={
          <>
            <TextFilter name="q" label="Name or slug" width={280} />
            <ChoiceFilter
              name="status"
              label="Status"
              choices={STATUSES.map((value) => ({ value, label: sentence(value) }))}
              width={130}
            />
          </>
        }
        label="Organizations"
        keyOf={({ id }) => id}
        href={({ id }) => at(`/organizations/${id}`)}
        empty={
          q || status ? (
            <Empty title="No organizations match these filters" />
          ) : (
            <Empty title="No organizations yet" action={add}>
              Add one for each customer that several members of this project belong to.
            </Empty>
          )
        }
        columns={[
          {
            name: 'Name',
            value: ({ name }) => name,
            cell: ({ name, slug }) => (
              <>
                {name}
                {slug !== null && <Below>{slug}</Below>}
              </>
            ),
          },
          {
            name: 'Status',
            value: ({ status: state }) => state,
            cell: ({ status: state }) => <StateBadge state={state} />,
          },
          {
            name: 'Slug',
            value: ({ slug }) => slug,
            wide: true,
            cell: ({ slug }) => (slug === null ? '–' : <code>{slug}</code>),
          },
          {
            name: 'Added',
            value: ({ createdAt }) => createdAt,
            wide: true,
            align: 'right',
            cell: ({ createdAt }) => <Time at={createdAt} />,
          },
        ]}
      />
      {open && <NewOrganization onClose={close} />}
    </Page>
  );
}

function NewOrganization({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('');
  const [slug, setSlug] = useState('');
  const { faults, onProblem } = useFaults('slug');
  const create = useAction(useApi().useMutation('post', '/console/v1/organizations'));
  const navigate = useNavigate();
  const at = useAt();
  const submit = async () => {
    const body = { name, ...(slug && { slug }) };
    const made = await create.run({ body }, { done: `${name} added`, change: 'Add organization', onProblem });
    if (made) await navigate({ to: at(`/organizations/${made.id}`) });
  };
  return (
    <FormDialog title="Add an organization" action="Add" busy={create.busy} onSubmit={submit} onClose={onClose}>
      <TextInput
        data-autofocus
        required
        label="Name"
        maxLength={200}
        value={name}
        error={faults['name']}
        onChange={({ currentTarget: { value } }) => setName(value)}
      />
      <TextInput
        label="Slug"
        description="Names it in addresses, such as acme. Optional."
        maxLength={63}
        value={slug}
        error={faults['slug']}
        onChange={({ currentTarget: { value } }) => setSlug(value)}
      />
    </FormDialog>
  );
}
