import { useApi, useCan } from '#api/scope.tsx';
import { Badge } from '#ui/badge.tsx';
import { Card } from '#ui/page.tsx';
import { Loaded } from '#ui/states.tsx';
import { Table } from '#ui/table.tsx';
import { Time } from '#ui/time.tsx';

type State = 'waiting' | 'running' | 'failed' | 'done';
type Backfill = { state: State; error: string | null; nextAttemptAt: string | null };

/** How often the progress is read, in milliseconds. */
const LOOK_AGAIN_MS = 5000;

const BADGES = {
  waiting: { tone: 'warn', label: 'Waiting' },
  running: { tone: 'info', label: 'Running' },
  failed: { tone: 'bad', label: 'Failed' },
  done: { tone: 'good', label: 'Done' },
} as const;

/** What upgrades have left to the worker, for owners of the installation. */
export function Backfills() {
  return useCan('backfills:read') && <List />;
}

function List() {
  const backfills = useApi().useQuery('get', '/console/v1/backfills', {}, { refetchInterval: LOOK_AGAIN_MS });
  return (
    <Card
      flush
      title="Upgrades of this installation"
      about="Large tables are filled beside the requests, by the worker, after an upgrade. Let it end before the next one."
    >
      <Loaded query={backfills}>
        {({ items }) => (
          <Table
            label="Upgrades"
            rows={items}
            keyOf={({ name }) => name}
            empty="No upgrade has left anything to the worker"
            columns={[
              { name: 'Migration', cell: ({ name }) => name },
              { name: 'State', cell: (backfill) => <StateOf backfill={backfill} /> },
              {
                name: 'Rows',
                align: 'right',
                cell: ({ state, rowsDone, rowsEstimated }) =>
                  state === 'done'
                    ? rowsDone.toLocaleString('en')
                    : `${rowsDone.toLocaleString('en')} of about ${rowsEstimated.toLocaleString('en')}`,
              },
              { name: 'Changed', wide: true, align: 'right', cell: ({ updatedAt }) => <Time at={updatedAt} /> },
            ]}
          />
        )}
      </Loaded>
    </Card>
  );
}

function StateOf({ backfill: { state, error, nextAttemptAt } }: { backfill: Backfill }) {
  const { tone, label } = BADGES[state];
  return (
    <>
      <Badge tone={tone}>{label}</Badge> {state === 'waiting' && 'Start a process with the role worker.'}
      {state === 'failed' && (
        <>
          {error}. {nextAttemptAt === null ? 'Restart the worker to try again.' : <NextAttempt at={nextAttemptAt} />}
        </>
      )}
    </>
  );
}

function NextAttempt({ at }: { at: string }) {
  return (
    <>
      Next attempt <Time at={at} />
    </>
  );
}
