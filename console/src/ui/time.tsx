import { Tooltip } from '@mantine/core';
import { exactTime, relativeTime } from './moments.ts';

/** A relative time, with the exact time on hover and in the markup. */
export function Time({ at, none = '–' }: { at: string | null | undefined; none?: string }) {
  if (!at) return <span>{none}</span>;
  const exact = exactTime(at);
  return (
    <Tooltip label={exact}>
      <time dateTime={at}>{relativeTime(at, Date.now())}</time>
    </Tooltip>
  );
}
