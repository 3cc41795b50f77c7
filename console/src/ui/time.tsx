import { Tooltip } from '@mantine/core';
import { clockTime, exactTime, relativeTime, timeOfDay } from './moments.ts';

/** A relative time, with the exact time on hover and in the markup. */
export function Time({ at, none = '–' }: { at: string | null | undefined; none?: string }) {
  if (!at) return <span>{none}</span>;
  const exact = exactTime(at);
  return (
    <Tooltip label={exact}>
      <time dateTime={at} data-above>
        {relativeTime(at, Date.now())}
      </time>
    </Tooltip>
  );
}

/** The time of day to the second of an entry below the heading of its day, with how long ago it was on hover. */
export function ClockTime({ at }: { at: string }) {
  return (
    <Tooltip label={`${exactTime(at)}, ${relativeTime(at, Date.now())}`}>
      <time dateTime={at} data-above>
        {timeOfDay(at)}
      </time>
    </Tooltip>
  );
}

/** The time of a log's entry to the second, with how long ago it was on hover. */
export function LogTime({ at }: { at: string }) {
  return (
    <Tooltip label={`${exactTime(at)}, ${relativeTime(at, Date.now())}`}>
      <time dateTime={at} data-above>
        {clockTime(at, new Date())}
      </time>
    </Tooltip>
  );
}
