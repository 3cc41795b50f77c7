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
    <Card flush title="Backups of this installation" about={backups.data && <Schedule {...backups.data} />}>
      <Loaded query={backups}>
        {({ items }) => (
          <Table
            label="Backups"
            rows={items}
            keyOf={({ name }) => name}
            empty="No backups yet"
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

function Schedule({ schedule, dueSince }: { schedule: string | null; dueSince: string | null }) {
  if (schedule === null) return <>No schedule is set. Set LATCHKEY_BACKUP_SCHEDULE to make backups automatically.</>;
  return (
    <>
      Made automatically on the schedule {schedule} (UTC).
      {dueSince && (
        <>
          {' '}
          A backup was due <Time at={dueSince} />.
        </>
      )}
    </>
  );
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
