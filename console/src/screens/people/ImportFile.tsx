import { Alert, Button, Group, Progress, SegmentedControl, Stack, Switch, Text } from '@mantine/core';
import { useBlocker, useNavigate } from '@tanstack/react-router';
import { type DragEvent, useRef, useState } from 'react';
import { type Problem, problemOf } from '#api/problem.ts';
import { useScope } from '#api/scope.tsx';
import { uploadMembers } from '#api/upload.ts';
import { useAt } from '#shell/place.ts';
import { useAsk } from '#ui/ask.tsx';
import { Card } from '#ui/page.tsx';
import { useFilters } from '#ui/search.ts';
import { sizeOf } from '#ui/sizes.ts';
import classes from './imports.module.css';
import { type Chosen, formatOf, keepTried, triedIn } from './imports.ts';

/** One gibibyte, the limit of the server. */
const MAX_BYTES = 1_073_741_824;

/** Selects and uploads a file of members. The default is a dry run. */
export function ImportFile() {
  const [filters, setFilters] = useFilters();
  const [chosen, setChosen] = useState<Chosen | null>(() => triedIn(filters['again']));
  const dryRun = filters['dryRun'] !== 'false';
  const { sent, problem, send, cancel } = useUpload();
  const tooLarge = chosen !== null && chosen.file.size > MAX_BYTES;
  return (
    <Card title="Choose a file" about="NDJSON or CSV, up to 1 GiB.">
      {sent !== null && chosen ? (
        <Sending name={chosen.file.name} sent={sent} size={chosen.file.size} onCancel={cancel} />
      ) : (
        <Stack gap="md">
          <DropZone chosen={chosen} onChoose={(file) => setChosen({ file, format: formatOf(file.name) })} />
          {chosen && (
            <SegmentedControl
              aria-label="Format of the file"
              data={[
                { value: 'ndjson', label: 'NDJSON' },
                { value: 'csv', label: 'CSV' },
              ]}
              value={chosen.format}
              onChange={(format) => setChosen({ ...chosen, format })}
            />
          )}
          <Switch
            label="Dry run"
            description="Shows the result for each row without changing anything."
            checked={dryRun}
            onChange={({ currentTarget: { checked } }) =>
              setFilters({ dryRun: checked ? undefined : 'false' }, { replace: true })
            }
          />
          {tooLarge && <Refused title="The file is too large" detail="Split it into files of up to 1 GiB." />}
          {problem && <Refused title={problem.title} detail={problem.detail} />}
          <Group justify="flex-end">
            <Button disabled={!chosen || tooLarge} onClick={() => chosen && send(chosen, dryRun)}>
              {dryRun ? 'Start dry run' : 'Import'}
            </Button>
          </Group>
        </Stack>
      )}
    </Card>
  );
}

function Refused({ title, detail }: { title: string; detail: string }) {
  return (
    <Alert color="red" role="alert" title={title} p="sm">
      {detail}
    </Alert>
  );
}

function useUpload() {
  const scope = useScope();
  const ask = useAsk();
  const at = useAt();
  const navigate = useNavigate();
  const [sent, setSent] = useState<number | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const giveUp = useRef<AbortController | null>(null);
  const cancel = () => giveUp.current?.abort();
  useBlocker({
    shouldBlockFn: async () => {
      if (sent === null) return false;
      const leave = await ask({
        title: 'Stop the upload?',
        body: 'The upload isn’t complete. Nothing will be imported.',
        action: 'Stop and leave',
        danger: true,
      });
      if (leave) cancel();
      return !leave;
    },
    enableBeforeUnload: sent !== null,
  });
  const send = async (chosen: Chosen, dryRun: boolean) => {
    if (!dryRun && scope.environment === 'production' && !(await ask(PRODUCTION))) return;
    giveUp.current = new AbortController();
    setProblem(null);
    setSent(0);
    try {
      const watch = { signal: giveUp.current.signal, onProgress: setSent };
      const made = await uploadMembers(scope, { ...chosen, dryRun }, watch);
      if (made && dryRun) keepTried(made.id, chosen);
      if (made) await navigate({ to: at(`/members/import/${made.id}`), ignoreBlocker: true });
    } catch (thrown) {
      setProblem(problemOf(thrown));
    } finally {
      setSent(null);
    }
  };
  return { sent, problem, send, cancel };
}

const PRODUCTION = {
  title: 'Import into production?',
  body: 'The people in the file become members immediately. No mails are sent. An import can’t be undone.',
  action: 'Import',
};

function DropZone({ chosen, onChoose }: { chosen: Chosen | null; onChoose: (file: File) => void }) {
  const [over, setOver] = useState(false);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const [file] = event.dataTransfer.files;
    if (file) onChoose(file);
  };
  return (
    <label
      className={classes.drop}
      data-over={over}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <input
        type="file"
        accept=".ndjson,.jsonl,.json,.csv,application/x-ndjson,text/csv"
        aria-label="File of members"
        onChange={({ currentTarget: { files } }) => files?.[0] && onChoose(files[0])}
      />
      {chosen ? (
        <>
          <span className={classes.name}>{chosen.file.name}</span>
          <span className={classes.quiet}>{sizeOf(chosen.file.size)}. Drop or choose another one instead.</span>
        </>
      ) : (
        <>
          <span className={classes.name}>Drop a file here or choose one</span>
          <span className={classes.quiet}>The upload starts with the button below.</span>
        </>
      )}
    </label>
  );
}

function Sending(props: { name: string; sent: number; size: number; onCancel: () => void }) {
  const { name, sent, size, onCancel } = props;
  const done = sent >= size;
  return (
    <Stack gap="sm">
      <Text size="sm" className={classes.name}>
        {name}
      </Text>
      <Progress value={size === 0 ? 100 : (sent / size) * 100} animated={done} aria-label="Uploaded" />
      <Group justify="space-between">
        <Text size="sm" c="var(--lk-quiet)" role="status">
          {done ? 'Uploaded. Storing the last rows…' : `${sizeOf(sent)} of ${sizeOf(size)}`}
        </Text>
        <Button variant="default" size="compact-sm" onClick={onCancel}>
          Cancel
        </Button>
      </Group>
    </Stack>
  );
}
