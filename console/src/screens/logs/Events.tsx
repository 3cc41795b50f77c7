import { useApi, useCan } from '#api/scope.tsx';
import { useEventTypes } from '#screens/webhooks/eventTypes.ts';
import { ChoiceFilter, MomentFilter } from '#ui/filters.tsx';
import { Below } from '#ui/table.tsx';
import { LogTime } from '#ui/time.tsx';
import { EventName } from './EventName.tsx';
import { LogScreen, useLogFilters } from './LogScreen.tsx';
import { NameInRow } from './NameInRow.tsx';
import { actorOf, subjectOf } from './names.ts';

export function Events() {
  const given = useLogFilters(['type', 'since', 'until']);
  const knowsTypes = useCan('webhooks:read');
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
      filters={
        <>
          {knowsTypes && <TypeFilter />}
          <MomentFilter name="since" label="From" />
          <MomentFilter name="until" label="Until" />
        </>
      }
      columns={(names) => [
        {
          name: 'Event',
          cell: (event) => (
            <>
              <EventName name={event.type} />
              <Below>{subjectOf(event, names).name}</Below>
            </>
          ),
        },
        { name: 'Subject', wide: true, cell: (event) => <NameInRow of={subjectOf(event, names)} /> },
        { name: 'Actor', wide: true, short: true, cell: (event) => <NameInRow of={actorOf(event, names)} /> },
        { name: 'Sequence', wide: true, align: 'right', cell: ({ sequence }) => sequence },
        { name: 'Time', align: 'right', cell: ({ occurredAt }) => <LogTime at={occurredAt} /> },
      ]}
      facts={({ sequence }) => [['Sequence', sequence]]}
    />
  );
}

function TypeFilter() {
  const { choices } = useEventTypes();
  return <ChoiceFilter name="type" label="Type" width={240} choices={choices} />;
}
