import { SingleBar } from 'cli-progress';

/** Reports progress on standard error: a bar on a terminal, occasional lines elsewhere. */
export type Progress = { advance: (count: number) => void; end: () => void };

const LINE_EVERY_MS = 5_000;

/** @param total the expected count; the bar grows if there are more */
export function showProgress(what: string, total: number): Progress {
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
