import { SingleBar } from 'cli-progress';
import type { ShowProgress } from '#backups';

const LINE_EVERY_MS = 5_000;

/**
 * Reports progress on standard error: a bar on a terminal, which grows if there is more than expected, and occasional
 * lines elsewhere.
 */
export const showProgress: ShowProgress = (what, total) => {
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
};
