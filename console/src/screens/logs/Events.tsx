import { useApi, useCan, useClient } from '#api/scope.tsx';
import { useEventTypes } from '#screens/webhooks/eventTypes.ts';
import { ChoiceFilter, MomentFilter, TextFilter } from '#ui/filters.tsx';
import { Below } from '#ui/table.tsx';
import { ClockTime } from '#ui/time.tsx';
import { EventName } from './EventName.tsx';
import { LogScreen, useLogFilters } from './LogScreen.tsx';
import { NameInRow } from './NameInRow.tsx';
import { actorOf, subjectOf } from './names.ts';

export function Events() {
  const given = useLogFilters(['type', 'actor', 'since', 'until']);
  const knowsTypes = useCan('webhooks:read');
  const client = useClient();
  const { cursor: _cursor, ...filters } = given;
  const log = useApi().useQuery(
    'get',
    '/console/v1/event-log',
    { params: { query: { limit: 50, ...given } } },
    { placeholderData: (before) => before },
  );
  return (
    <LogScreen
      title="Event log"
      about="Everything that happened in this environment, newest first."
      log={log}
      readPage={(page) => client.GET('/console/v1/event-log', { params: { query: { ...filters, ...page } } })}
      filters={
        <>
          {knowsTypes && <TypeFilter />}
          <TextFilter name="actor" label="Actor id" width={160} />
          <MomentFilter name="since" label="From" />
          <MomentFilter name="until" label="Until" />
        </>
      }
      columns={(names, members) => [
        {
          name: 'Event',
          value: ({ type }) => type,
          cell: (event) => (
            <>
              <EventName name={event.type} />
              <Below>{subjectOf(event, names).name}</Below>
            </>
          ),
        },
        {
          name: 'Subject',
          wide: true,
          value: (event) => subjectOf(event, names).name,
          cell: (event) => <NameInRow of={subjectOf(event, names)} members={members} />,
        },
        {
          name: 'Actor',
          wide: true,
          short: true,
          value: (event) => actorOf(event, names).name,
          cell: (event) => <NameInRow of={actorOf(event, names)} members={members} />,
        },
        {
          name: 'Sequence',
          wide: true,
          align: 'right',
          value: ({ sequence }) => sequence,
          cell: ({ sequence }) => sequence,
        },
        { name: 'Id', extra: true, wide: true, value: ({ id }) => id, cell: ({ id }) => <code>{id}</code> },
        {
          name: 'Time',
          align: 'right',
          value: ({ occurredAt }) => occurredAt,
          cell: ({ occurredAt }) => <ClockTime at={occurredAt} />,
        },
      ]}
      facts={({ sequence }) => [['Sequence', sequence]]}
    />
  );
}

function TypeFilter() {
  const { choices } = useEventTypes();
  return <ChoiceFilter name="type" label="Type" width={240} choices={choices} />;
}
