import { Button } from '@mantine/core';
import type { LogStream } from '#api/records.ts';
import { useApi } from '#api/scope.tsx';
import { useAction } from '#ui/action.ts';
import { RemoveButton } from '#ui/RemoveButton.tsx';
import { useStreamPaths, useStreamsAt } from './where.ts';

/** Test, pause or resume, and remove. */
export function StreamActions({ stream: { id, name, state } }: { stream: LogStream }) {
  const at = useStreamsAt();
  const paths = useStreamPaths();
  const api = useApi();
  const params = { path: { logStreamId: id } };
  const trial = useAction(api.useMutation('post', paths.test));
  const pause = useAction(api.useMutation('post', paths.pause));
  const resume = useAction(api.useMutation('post', paths.resume));
  const remove = api.useMutation('delete', paths.one);
  const send = () =>
    trial.run(
      { params },
      {
        done: ({ ok, error, responseSnippet }) =>
          ok
            ? 'The destination accepted an example entry'
            : `Not accepted: ${[error, responseSnippet].filter(Boolean).join('. ')}`,
        change: 'Send a test',
      },
    );
  return (
    <>
      <Button variant="default" loading={trial.busy} onClick={send}>
        Send test
      </Button>
      {state === 'active' ? (
        <Button
          variant="default"
          loading={pause.busy}
          onClick={() => pause.run({ params }, { done: 'Log stream paused', change: 'Pause' })}
        >
          Pause
        </Button>
      ) : (
        <Button
          loading={resume.busy}
          onClick={() => resume.run({ params, body: {} }, { done: 'Log stream resumed', change: 'Resume' })}
        >
          Resume
        </Button>
      )}
      <RemoveButton
        name={name}
        body="No more entries are sent, not even those that are waiting."
        mutation={remove}
        init={{ params }}
        back={at('/log-streams')}
      />
    </>
  );
}
