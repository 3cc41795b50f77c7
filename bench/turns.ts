import type { Row } from './paths.ts';

/** How often a path and its baseline are measured, in turns, so that other work on the machine meets both. */
const TURNS = 3;

/** The median of all turns, and the lowest and the highest ratio of one. */
export type Measurement = Row & { ratio: number; ratioByProcessor: number; spread: [number, number] };

/** Measures a path and its baseline in turns. Each ratio is of one turn. */
export async function inTurns(measure: () => Promise<Row>): Promise<Measurement> {
  const rows: Row[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    // biome-ignore lint/performance/noAwaitInLoops: one turn after the other
    rows.push(await measure());
  }
  const [first] = rows;
  if (!first) throw new Error('A path was measured in no turn.');
  const of = (read: (row: Row) => number) => median(rows.map(read));
  const ratios = rows.map(({ measured, bare }) => measured.rate / bare.rate);
  return {
    ...first,
    measured: {
      rate: of(({ measured }) => measured.rate),
      p50: of(({ measured }) => measured.p50),
      p99: of(({ measured }) => measured.p99),
      cpu: of(({ measured }) => measured.cpu),
    },
    bare: { rate: of(({ bare }) => bare.rate), cpu: of(({ bare }) => bare.cpu) },
    ratio: median(ratios),
    ratioByProcessor: of(({ measured, bare }) => bare.cpu / measured.cpu),
    spread: [Math.min(...ratios), Math.max(...ratios)],
  };
}

/** The one in the middle; of an even number, the higher of the two. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
