import { Button, Progress, SegmentedControl, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ImportReport } from '#api/records.ts';
import { useApi } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { Badge, StateBadge } from '#ui/badge.tsx';
import { Copy } from '#ui/copy.tsx';
import { useSaveFile } from '#ui/files.ts';
import { exactTime } from '#ui/moments.ts';
import { Card, Facts, Page } from '#ui/page.tsx';
import { linkTo, useFilters, useIdInAddress } from '#ui/search.ts';
import { Empty, Loaded } from '#ui/states.tsx';
import { type Column, Pager, Table } from '#ui/table.tsx';
import { Time } from '#ui/time.tsx';
import classes from './imports.module.css';
import { triedIn } from './imports.ts';

/** How often an unfinished import is polled, in milliseconds. */
const POLL_MS = 1_000;

export function Import() {
  const jobId = useIdInAddress();
  const [{ cursor, outcome }] = useFilters();
  const query = { limit: 50, ...(cursor && { cursor }), ...(outcome === 'failed' && { outcome: 'failed' as const }) };
  const record = useApi().useQuery(
    'get',
    '/console/v1/members/import/{jobId}',
    { params: { path: { jobId }, query } },
    {
      placeholderData: (before) => before,
      refetchInterval: ({ state }) => (state.data?.status === 'completed' ? false : POLL_MS),
    },
  );
  return <Loaded query={record}>{(report) => <Detail report={report} />}</Loaded>;
}

function Detail({ report }: { report: ImportReport }) {
  const at = useAt();
  const { status, dryRun, createdAt } = report;
  return (
    <Page
      title={`Import of ${exactTime(createdAt)}`}
      about={dryRun ? 'A dry run: nothing was changed. An import of the same file would have this result.' : undefined}
      back={{ to: at('/members/import'), label: 'Imports' }}
      beside={
        <>
          <StateBadge state={status} />
          {dryRun && <Badge>Dry run</Badge>}
        </>
      }
      actions={dryRun && status === 'completed' ? <StartImport report={report} /> : null}
    >
      <Card>
        <Stack gap="md">
          {status !== 'completed' && <ProgressOf report={report} />}
          <Counts report={report} />
          <Facts
            facts={[
              ['Started', <Time key="started" at={createdAt} />],
              ['Finished', <Time key="finished" at={report.finishedAt} none="Not yet" />],
              ['Id', <Copy key="id" value={report.id} />],
            ]}
          />
        </Stack>
      </Card>
      <Rows report={report} />
    </Page>
  );
}

/** Links to the import of the same file. If the page was reloaded, the file must be selected again. */
function StartImport({ report: { id, created, joined } }: { report: ImportReport }) {
  const at = useAt();
  if (created + joined === 0) return null;
  const again = triedIn(id) ? `&again=${id}` : '';
  return (
    <Button renderRoot={(props) => <Link {...props} {...linkTo(at(`/members/import?dryRun=false${again}`))} />}>
      Start import
    </Button>
  );
}

function ProgressOf({ report: { status, rows, rowsDone } }: { report: ImportReport }) {
  if (status === 'receiving')
    return (
      <Text size="sm" role="status">
        The file is being uploaded. If the upload is interrupted, nothing is imported and the file is deleted.
      </Text>
    );
  return (
    <div>
      <Text size="sm" mb={6} role="status">
        <b>{rowsDone.toLocaleString('en')}</b> of {rows.toLocaleString('en')} rows. The import continues when you close
        this page.
      </Text>
      <Progress value={rows === 0 ? 0 : (rowsDone / rows) * 100} animated aria-label="Rows processed" />
    </div>
  );
}

function Counts({ report }: { report: ImportReport }) {
  const { created, joined, unchanged, failed, dryRun } = report;
  const counts = [
    [dryRun ? 'would be created' : 'created', created],
    [dryRun ? 'would join with their existing account' : 'joined with their existing account', joined],
    ['already members', unchanged],
    ['failed', failed],
  ] as const;
  return (
    <dl className={classes.counts}>
      {counts.map(([name, number]) => (
        <div key={name} data-bad={name === 'failed' && number > 0}>
          <dt>{name}</dt>
          <dd>{number.toLocaleString('en')}</dd>
        </div>
      ))}
    </dl>
  );
}

type Row = ImportReport['report'][number];

const WOULD: Partial<Record<Row['outcome'], string>> = { created: 'Would be created', joined: 'Would join' };

const columnsOf = (dryRun: boolean): readonly Column<Row>[] => [
  { name: 'Row', cell: ({ row }) => row.toLocaleString('en') },
  {
    name: 'Outcome',
    cell: ({ outcome }) => {
      const would = dryRun ? WOULD[outcome] : undefined;
      return would ? <Badge tone="good">{would}</Badge> : <StateBadge state={outcome} />;
    },
  },
  { name: 'Reason', cell: ({ errors }) => <Reasons errors={errors} /> },
];

function Reasons({ errors }: Pick<Row, 'errors'>) {
  if (errors.length === 0) return '–';
  return (
    <ul className={classes.reasons}>
      {errors.map(({ pointer, message }) => (
        <li key={pointer + message}>
          {pointer !== '' && <b>{pointer.slice(1)}</b>} {message}
        </li>
      ))}
    </ul>
  );
}

function Rows({ report: { id, report, nextCursor, failed, status, dryRun } }: { report: ImportReport }) {
  const [{ outcome }, setFilters] = useFilters();
  const saveFile = useSaveFile();
  return (
    <Card
      flush
      title="Rows"
      about="In file order, numbered from 1."
      actions={
        <>
          <SegmentedControl
            size="xs"
            aria-label="Rows shown"
            data={[
              { value: 'all', label: 'All rows' },
              { value: 'failed', label: 'Failed rows' },
            ]}
            value={outcome === 'failed' ? 'failed' : 'all'}
            onChange={(value) => setFilters({ outcome: value === 'failed' ? value : undefined })}
          />
          {failed > 0 && (
            <Button
              variant="default"
              size="compact-sm"
              onClick={() => saveFile({ path: `/members/import/${id}/failures` })}
            >
              Download failed rows
            </Button>
          )}
        </>
      }
    >
      <Table
        label="Rows"
        rows={report}
        columns={columnsOf(dryRun)}
        keyOf={({ row }) => String(row)}
        empty={
          outcome === 'failed' ? (
            <Empty title="No failed rows">{status !== 'completed' && 'None so far.'}</Empty>
          ) : (
            <Empty title="No rows processed yet">Rows appear here as they are processed.</Empty>
          )
        }
      />
      <Pager nextCursor={nextCursor} />
    </Card>
  );
}
