import { Button, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { DomainRecord } from '#api/records.ts';
import { type Mutation, useAction } from '#ui/action.ts';
import { Copy } from '#ui/copy.tsx';
import { Card, Facts } from '#ui/page.tsx';
import { Time } from '#ui/time.tsx';

type Proven = Pick<DomainRecord, 'status' | 'verification' | 'fault' | 'checkedAt' | 'verifiedAt'>;

/** How often an unverified domain is reloaded, in milliseconds. */
const LOOK_EVERY_MS = 10_000;

/** Reloads a domain while it is unverified, so that its page updates by itself. */
export const untilVerified = ({ state: { data } }: { state: { data?: { status: string } | undefined } }) =>
  data?.status === 'verified' ? false : LOOK_EVERY_MS;

type ProofProps<I> = {
  domain: Proven;
  canWrite: boolean;
  /** The consequence of a missing record. */
  lost: string;
  /** Looks the record up now. */
  mutation: Mutation<I, Proven>;
  init: I;
};

/** The DNS record that proves a domain, and the result of its last look-up. */
export function Proof<I>({ domain, canWrite, lost, mutation, init }: ProofProps<I>) {
  const { status, verification, fault, verifiedAt, checkedAt } = domain;
  const queries = useQueryClient();
  const verify = useAction(mutation);
  const waiting = status !== 'verified';
  const onCheck = () =>
    verify.run(init, {
      done: (found) => (found.status === 'verified' ? 'Domain verified' : 'Record not found yet'),
      change: 'Check',
      // A look-up without the record is stored, too.
      onProblem: () => {
        queries.invalidateQueries().catch(() => undefined);
        return false;
      },
    });
  return (
    <Card
      title={waiting ? 'Verify ownership' : 'Ownership'}
      about={
        waiting
          ? 'Add this record at your DNS provider. It can take a few minutes to become visible.'
          : 'Keep this record: it is checked every day.'
      }
      actions={
        canWrite && (
          <Button variant={waiting ? 'filled' : 'default'} size="compact-sm" loading={verify.busy} onClick={onCheck}>
            Check now
          </Button>
        )
      }
    >
      <Facts
        facts={[
          ['Type', verification.type],
          ['Name', <Copy key="name" value={verification.name} />],
          ['Value', <Copy key="value" value={verification.value} />],
          ['Checked', <Time key="checked" at={checkedAt} none="Not yet" />],
          ['Result', fault ?? '–'],
          ['Verified', <Time key="verified" at={verifiedAt} none="Not yet" />],
        ]}
      />
      {status === 'lost' && (
        <Text size="sm" c="var(--lk-bad)" mt="md" role="alert">
          {lost}
        </Text>
      )}
    </Card>
  );
}
