import { SingleBar } from 'cli-progress';

/** How far a long piece of work has come, on standard error: a bar on a terminal, a line now and then elsewhere. */
export type Progress = { advance: (count: number) => void; end: () => void };

const LINE_EVERY_MS = 5_000;

/** @param total how many are expected; the bar grows when there are more */
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
