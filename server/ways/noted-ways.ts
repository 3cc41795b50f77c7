import type { Trace } from '#platform/ctx.ts';
import type { Way } from './ways.ts';

type Noted = { way: Way; result: 'signed_in' | 'second_factor' | 'no_session' };

/** The way in of each request, and its result so far. */
const noted = new WeakMap<Trace, Noted>();

export function noteWay(trace: Trace, way: Way): void {
  noted.set(trace, { way, result: 'no_session' });
}

/** Records the result of a request that takes a way in. */
export function noteResult(trace: Trace, result: 'signed_in' | 'second_factor'): void {
  const way = noted.get(trace);
  if (way) way.result = result;
}

/** @returns undefined for a request that takes no way in */
export function wayOf(trace: Trace): Readonly<Noted> | undefined {
  return noted.get(trace);
}
