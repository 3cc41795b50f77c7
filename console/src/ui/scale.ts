/** Axis ticks: round numbers from 0 to at least `max`, with at most four steps: 73 gives 0, 20, 40, 60, 80. */
export function ticksUpTo(max: number): number[] {
  const rough = Math.max(1, max) / 4;
  const magnitude = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(
    1,
    [1, 2, 2.5, 5, 10].map((factor) => factor * magnitude).find((size) => size >= rough) ?? rough,
  );
  const whole = Math.ceil(step);
  const count = Math.max(1, Math.ceil(max / whole));
  return Array.from({ length: count + 1 }, (_, index) => index * whole);
}

/** At most `count` indexes out of `length`, evenly spaced, including the last. */
export function placesOf(length: number, count: number): number[] {
  const every = Math.max(1, Math.ceil(length / Math.max(1, count)));
  return Array.from({ length }, (_, index) => index).filter((index) => (length - 1 - index) % every === 0);
}

type Stretch = { from: number; measured: number[] };

/** The stretches of a line that were measured, between its gaps. */
export function stretchesOf(values: readonly (number | null)[]): Stretch[] {
  const stretches: Stretch[] = [];
  for (const [index, value] of values.entries()) {
    if (value === null) continue;
    const last = stretches.at(-1);
    if (last && last.from + last.measured.length === index) last.measured.push(value);
    else stretches.push({ from: index, measured: [value] });
  }
  return stretches;
}
