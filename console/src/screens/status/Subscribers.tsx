import { Button, Text, Textarea } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { useApi, useCan } from '#api/scope.tsx';
import { useAction } from '#ui/action.ts';
import { StateBadge, sentence } from '#ui/badge.tsx';
import { FormDialog, useFaults } from '#ui/dialog.tsx';
import { ChoiceFilter, FilterBar } from '#ui/filters.tsx';
import { Card, Page } from '#ui/page.tsx';
import { useFilters } from '#ui/search.ts';
import { Empty, Loaded } from '#ui/states.tsx';
import { Pager, Table } from '#ui/table.tsx';
import { Time } from '#ui/time.tsx';
import { CHANNELS, channelName } from './channels.ts';
import { onStatusPage } from './onStatusPage.tsx';
import { StatusTabs } from './StatusTabs.tsx';

const STATES = ['pending', 'active', 'quarantined', 'unsubscribed'] as const;
const choicesOf = (values: readonly string[]) => values.map((value) => ({ value, label: sentence(value) }));

export const Subscribers = onStatusPage(function Subscribers() {
  const [open, { open: show, close }] = useDisclosure(false);
  const [filters] = useFilters();
  const channel = CHANNELS.find((known) => known === filters['channel']);
  const state = STATES.find((known) => known === filters['state']);
  const { cursor } = filters;
  const query = { limit: 50, ...(channel && { channel }), ...(state && { state }), ...(cursor && { cursor }) };
  const subscribers = useApi().useQuery('get', '/console/v1/status/subscribers', { params: { query } });
  const canWrite = useCan('status:write');
  return (
    <Page
      title="Status"
      about="People, phones, channels and webhooks that are notified of each phase of an incident or maintenance."
      actions={canWrite && <Button onClick={show}>Import addresses</Button>}
    >
      <StatusTabs />
      <Card flush>
        <FilterBar>
          <ChoiceFilter
            name="channel"
            label="Channel"
            choices={CHANNELS.map((value) => ({ value, label: channelName(value) }))}
          />
          <ChoiceFilter name="state" label="State" choices={choicesOf(STATES)} />
        </FilterBar>
        <Loaded query={subscribers}>
          {({ items, nextCursor }) => (
            <>
              <Table
                label="Subscribers"
                rows={items}
                keyOf={({ id }) => id}
                empty={
                  channel || state ? (
                    <Empty title="No subscribers match these filters" />
                  ) : (
                    <Empty title="No subscribers yet">
                      People subscribe on the status page. Import those who consented elsewhere.
                    </Empty>
                  )
                }
                columns={[
                  { name: 'Address', cell: ({ address }) => address || 'Deleted' },
                  { name: 'Channel', wide: true, cell: ({ channel: by }) => channelName(by) },
                  { name: 'State', cell: (subscriber) => <SubscriberState subscriber={subscriber} /> },
                  { name: 'Since', wide: true, align: 'right', cell: ({ createdAt }) => <Time at={createdAt} /> },
                  {
                    name: '',
                    align: 'right',
                    cell: (subscriber) => canWrite && <RemoveSubscriber subscriber={subscriber} />,
                  },
                ]}
              />
              <Pager nextCursor={nextCursor} />
            </>
          )}
        </Loaded>
      </Card>
      {open && <Import onClose={close} />}
    </Page>
  );
});

/** Why messages stopped. */
const REASONS = {
  bounce: 'Refused for good',
  unreached: 'Not reached three times',
  failing: 'Receiver gone or failing',
} as const;

type Suspended = {
  state: (typeof STATES)[number];
  suspendedReason: keyof typeof REASONS | null;
  suspendedAt: string | null;
};

function SubscriberState({ subscriber: { state, suspendedReason, suspendedAt } }: { subscriber: Suspended }) {
  return (
    <>
      <StateBadge state={state} />
      {suspendedReason && (
        <Text size="xs" c="var(--lk-quiet)">
          {REASONS[suspendedReason]}
          {suspendedAt && (
            <>
              {', '}
              <Time at={suspendedAt} />
            </>
          )}
        </Text>
      )}
    </>
  );
}

function RemoveSubscriber({ subscriber: { id, address } }: { subscriber: { id: string; address: string } }) {
  const remove = useAction(useApi().useMutation('delete', '/console/v1/status/subscribers/{id}'));
  const name = address || 'this subscriber';
  const question = {
    title: `Remove ${name}?`,
    body: 'They get no more notifications. They can subscribe again later.',
    action: 'Remove',
    danger: true,
  };
  return (
    <Button
      variant="subtle"
      color="gray"
      size="compact-xs"
      loading={remove.busy}
      aria-label={`Remove ${name}`}
      onClick={() => remove.run({ params: { path: { id } } }, { done: `${name} is removed`, question })}
    >
      Remove
    </Button>
  );
}

/** Mail addresses, which spaces may separate, and phone numbers, which may have spaces. */
function addressesIn(lines: string): { email?: string; phone?: string }[] {
  const parts = lines.split(/[\n,;]+/).map((part) => part.trim());
  const phones = parts.filter((part) => part.startsWith('+'));
  const emails = parts.filter((part) => !phones.includes(part)).flatMap((part) => part.split(/\s+/).filter(Boolean));
  return [...emails.map((email) => ({ email })), ...phones.map((phone) => ({ phone }))];
}

function Import({ onClose }: { onClose: () => void }) {
  const [consent, setConsent] = useState('');
  const [lines, setLines] = useState('');
  const { faults, onProblem } = useFaults('subscribers');
  const add = useAction(useApi().useMutation('post', '/console/v1/status/subscribers/import'));
  const submit = async () => {
    const imported = await add.run(
      { body: { consent, subscribers: addressesIn(lines) } },
      { done: ({ added, skipped }) => `${added} added, ${skipped} skipped`, change: 'Import addresses', onProblem },
    );
    if (imported) onClose();
  };
  return (
    <FormDialog title="Import addresses" action="Import" busy={add.busy} onSubmit={submit} onClose={onClose}>
      <Textarea
        data-autofocus
        required
        label="Addresses"
        description="Mail addresses, and phone numbers with + and country code. One per line. Existing and unsubscribed ones are skipped."
        minRows={4}
        autosize
        maxRows={12}
        value={lines}
        error={faults['subscribers']}
        onChange={({ currentTarget: { value } }) => setLines(value)}
      />
      <Textarea
        required
        minLength={10}
        label="Consent"
        description="Where and when these people consented. It is stored with each address."
        value={consent}
        error={faults['consent']}
        onChange={({ currentTarget: { value } }) => setConsent(value)}
      />
    </FormDialog>
  );
}
