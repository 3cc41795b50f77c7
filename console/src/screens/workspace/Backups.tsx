import { useApi, useCan } from '#api/scope.tsx';
import { Badge } from '#ui/badge.tsx';
import { Card } from '#ui/page.tsx';
import { sizeOf } from '#ui/sizes.ts';
import { Loaded } from '#ui/states.tsx';
import { Table } from '#ui/table.tsx';
import { Time } from '#ui/time.tsx';

type Backup = { bytes: number | null; error: string | null; verifiedAt: string | null; verifyError: string | null };

/** The backups of the whole installation, for its owners. */
export function Backups() {
  return useCan('backups:read') && <List />;
}

function List() {
  const backups = useApi().useQuery('get', '/console/v1/backups');
  return (
    <Card flush title="Backups of this installation" about={aboutSchedule(backups.data?.schedule ?? null)}>
      <Loaded query={backups}>
        {({ items, dueSince }) => (
          <Table
            label="Backups"
            rows={items}
            keyOf={({ name }) => name}
            empty={dueSince === null ? 'No backups yet' : 'No backup could be made'}
            columns={[
              { name: 'Made', cell: ({ startedAt }) => <Time at={startedAt} /> },
              { name: 'Result', cell: (backup) => <Result backup={backup} /> },
              { name: 'Size', short: true, cell: ({ bytes }) => (bytes === null ? '–' : sizeOf(bytes)) },
              { name: 'Verified', wide: true, cell: ({ verifiedAt }) => <Time at={verifiedAt} none="Not yet" /> },
              { name: 'Name', wide: true, cell: ({ name }) => name },
            ]}
          />
        )}
      </Loaded>
    </Card>
  );
}

function aboutSchedule(schedule: string | null): string {
  return schedule === null
    ? 'Nothing is scheduled. Set LATCHKEY_BACKUP_SCHEDULE to let the worker make them.'
    : `The worker makes them on the schedule ${schedule} (UTC).`;
}

function Result({ backup: { error, verifiedAt, verifyError } }: { backup: Backup }) {
  if (error !== null)
    return (
      <>
        <Badge tone="bad">Failed</Badge> {error}
      </>
    );
  if (verifyError !== null)
    return (
      <>
        <Badge tone="bad">Damaged</Badge> {verifyError}
      </>
    );
  return <Badge tone="good">{verifiedAt === null ? 'Stored' : 'Restorable'}</Badge>;
}
