import { SingleBar } from 'cli-progress';
import type { ShowProgress } from '#backups';
import { printsJson } from '#platform/config.ts';
import type { Values } from '#platform/config-reader.ts';
import { type Announcer, announcerFor } from './announcer.ts';

const LINE_EVERY_MS = 5_000;

/**
 * Reports progress on standard error: a bar on a terminal, which grows if there is more than expected, occasional lines
 * elsewhere, and one line at the end where processes print JSON.
 */
export const progressFor =
  (overrides: Values): ShowProgress =>
  (what, total) =>
    printsJson(overrides) ? lineAtEnd(announcerFor(overrides), what, total) : showBar(what, total);

function lineAtEnd({ say }: Announcer, what: string, total: number): ReturnType<ShowProgress> {
  let done = 0;
  return {
    advance(count) {
      done += count;
    },
    end: () => say(`${what}: ${done} of ${total}`, { done, total }),
  };
}

function showBar(what: string, total: number): ReturnType<ShowProgress> {
  const bar = new SingleBar({
    format: `${what} {bar} {value} of {total}, {duration_formatted}`,
    stream: process.stderr,
    noTTYOutput: true,
    notTTYSchedule: LINE_EVERY_MS,
    hideCursor: true,
  });
  let done = 0;
  bar.start(total, 0);
  return {
    advance(count) {
      done += count;
      if (done > bar.getTotal()) bar.setTotal(done);
      bar.update(done);
    },
    end: () => bar.stop(),
  };
}
