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

/** How often an import that goes on is looked at again, in milliseconds. */
const LOOK_MS = 1_000;

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
      refetchInterval: ({ state }) => (state.data?.status === 'completed' ? false : LOOK_MS),
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
      about={dryRun ? 'A dry run: nothing was changed. This is what an import of the same file would do.' : undefined}
      back={{ to: at('/members/import'), label: 'Imports' }}
      beside={
        <>
          <StateBadge state={status} />
          {dryRun && <Badge>Dry run</Badge>}
        </>
      }
      actions={dryRun && status === 'completed' ? <ForReal report={report} /> : null}
    >
      <Card>
        <Stack gap="md">
          {status !== 'completed' && <Advance report={report} />}
          <Counts report={report} />
          <Facts
            facts={[
              ['Begun', <Time key="begun" at={createdAt} />],
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

/** The same file, this time for real; chosen again where this page was closed meanwhile. */
function ForReal({ report: { id, created, joined } }: { report: ImportReport }) {
  const at = useAt();
  if (created + joined === 0) return null;
  const again = triedIn(id) ? `&again=${id}` : '';
  return (
    <Button renderRoot={(props) => <Link {...props} {...linkTo(at(`/members/import?dryRun=false${again}`))} />}>
      Import for real
    </Button>
  );
}

function Advance({ report: { status, rows, rowsDone } }: { report: ImportReport }) {
  if (status === 'receiving')
    return (
      <Text size="sm" role="status">
        The file is still coming. An upload that broke off is forgotten by itself, and nothing of it is imported.
      </Text>
    );
  return (
    <div>
      <Text size="sm" mb={6} role="status">
        <b>{rowsDone.toLocaleString('en')}</b> of {rows.toLocaleString('en')} rows. It goes on when this page is closed.
      </Text>
      <Progress value={rows === 0 ? 0 : (rowsDone / rows) * 100} animated aria-label="Rows done" />
    </div>
  );
}

function Counts({ report }: { report: ImportReport }) {
  const { created, joined, unchanged, failed, dryRun } = report;
  const counts = [
    [dryRun ? 'would be created' : 'created', created],
    [dryRun ? 'would join, with the account they have' : 'joined, with the account they had', joined],
    ['members already', unchanged],
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
  { name: 'Why', cell: ({ errors }) => <Reasons errors={errors} /> },
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
      about="In the order of the file, counted from 1."
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
              Download the failed rows
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
            <Empty title="No row failed">{status !== 'completed' && 'So far.'}</Empty>
          ) : (
            <Empty title="No row is done yet">They show here as they are worked off.</Empty>
          )
        }
      />
      <Pager nextCursor={nextCursor} />
    </Card>
  );
}
