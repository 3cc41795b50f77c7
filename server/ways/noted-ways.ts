import type { Trace } from '#platform/ctx.ts';
import type { Way } from './ways.ts';

type Noted = { way: Way; result: 'signed_in' | 'second_factor' | 'no_session' };

/** The way in that each request takes. */
const noted = new WeakMap<Trace, Noted>();

export function noteWay(trace: Trace, way: Way): void {
  noted.set(trace, { way, result: 'no_session' });
}

/** Records where the way of a request led. */
export function noteResult(trace: Trace, result: 'signed_in' | 'second_factor'): void {
  const way = noted.get(trace);
  if (way) way.result = result;
}

/** Undefined for a request that is no way in. */
export function wayOf(trace: Trace): Readonly<Noted> | undefined {
  return noted.get(trace);
}
