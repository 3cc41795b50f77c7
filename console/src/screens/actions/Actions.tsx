import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { Action } from '#api/records.ts';
import { useApi, useCan } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { Badge } from '#ui/badge.tsx';
import { Card, Page } from '#ui/page.tsx';
import { Empty, Loaded } from '#ui/states.tsx';
import { Below, Table } from '#ui/table.tsx';
import { MOMENTS } from './moments.ts';
import { NewAction } from './NewAction.tsx';

/** In the order of their calls. */
function inOrder(actions: readonly Action[]): Action[] {
  const places = Object.keys(MOMENTS);
  const placeOf = ({ moment }: Action) => places.indexOf(moment);
  return actions.toSorted(
    (one, other) => placeOf(one) - placeOf(other) || one.position - other.position || (one.id < other.id ? -1 : 1),
  );
}

export function Actions() {
  const at = useAt();
  const [open, { open: show, close }] = useDisclosure(false);
  const actions = useApi().useQuery('get', '/console/v1/actions', { params: { query: { limit: 50 } } });
  const add = useCan('actions:write') ? <Button onClick={show}>Add action</Button> : null;
  return (
    <Page
      title="Actions"
      about="Latchkey calls your systems at these moments and waits for the answer: who gets in, what tokens say, what messages say."
      actions={add}
    >
      <Card flush>
        <Loaded query={actions}>
          {({ items }) => (
            <Table
              label="Actions"
              rows={inOrder(items)}
              keyOf={({ id }) => id}
              href={({ id }) => at(`/actions/${id}`)}
              empty={
                <Empty title="No actions yet" action={add}>
                  An action is an address of yours that decides about registrations and sign-ins, or adds to tokens and
                  messages.
                </Empty>
              }
              columns={[
                {
                  name: 'Name',
                  cell: ({ name, url }) => (
                    <>
                      {name}
                      <Below>{url}</Below>
                    </>
                  ),
                },
                { name: 'Moment', cell: ({ moment }) => MOMENTS[moment].label },
                { name: 'Address', wide: true, cell: ({ url }) => url },
                {
                  name: 'If it fails',
                  wide: true,
                  cell: ({ onFailure }) => (onFailure === 'refuse' ? 'Refuse' : 'Continue'),
                },
                { name: 'State', cell: (action) => <ActionState action={action} /> },
              ]}
            />
          )}
        </Loaded>
      </Card>
      {open && <NewAction onClose={close} />}
    </Page>
  );
}

export function ActionState({ action: { enabled } }: { action: Pick<Action, 'enabled'> }) {
  return enabled ? <Badge tone="good">Enabled</Badge> : <Badge tone="quiet">Disabled</Badge>;
}
