import type { ImportFormat } from '#api/upload.ts';

const OF_NAMES: readonly (readonly [name: RegExp, format: ImportFormat])[] = [
  [/\.csv$/i, 'csv'],
  [/\.(ndjson|jsonl|json)$/i, 'ndjson'],
];

/** The format by file extension. */
export function formatOf(name: string): ImportFormat {
  return OF_NAMES.find(([pattern]) => pattern.test(name))?.[1] ?? 'ndjson';
}

export type Chosen = { file: File; format: ImportFormat };

/** The file of the last dry run, kept until the page is reloaded, so that it does not have to be selected again. */
let tried: (Chosen & { importId: string }) | null = null;

export function keepTried(importId: string, { file, format }: Chosen): void {
  tried = { importId, file, format };
}

export function triedIn(importId: string | undefined): Chosen | null {
  return tried?.importId === importId ? tried : null;
}
