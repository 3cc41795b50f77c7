import type { Registry } from 'prom-client';
import { durations } from './metrics.ts';
import { type SpanDescription, step, type Tracer } from './trace.ts';

/** Runs a statement and measures it. */
export type Measure = <T>(text: string, run: () => Promise<T>) => Promise<T>;

export const statementDurations = durations({
  name: 'latchkey_database_statement_duration_seconds',
  help: 'How long statements took, without the wait for a connection.',
  labels: { result: ['done', 'failed'] },
  buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
});

/** Longer texts are cut to this many characters. */
const MAX_TEXT = 2_000;

/** The text contains no values: these are parameters. */
function spanOf(text: string): SpanDescription {
  const operation = (/^(?:\s|\/\*.*?\*\/)*([a-z]+)/i.exec(text)?.[1] ?? 'statement').toUpperCase();
  const attributes = {
    'db.system.name': 'postgresql',
    'db.operation.name': operation,
    'db.query.text': text.slice(0, MAX_TEXT),
  };
  return { name: operation, kind: 'client', attributes };
}

export function measureStatements(metrics: Registry, tracer: Tracer | null): Measure {
  return async (text, run) => {
    const began = performance.now();
    let result: 'done' | 'failed' = 'failed';
    try {
      const rows = await step(tracer, () => spanOf(text), run);
      result = 'done';
      return rows;
    } finally {
      statementDurations.observe({ metrics }, { result }, (performance.now() - began) / 1000);
    }
  };
}
