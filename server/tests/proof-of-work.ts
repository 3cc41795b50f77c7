import { hash } from 'node:crypto';

type Challenge = { challenge: string; salt: string; maxnumber: number };

/** Solves a challenge in a fraction of the time that a widget takes. */
export function solve({ challenge, salt, maxnumber }: Challenge): number {
  return Array.from({ length: maxnumber + 1 }).findIndex((_, number) => hash('sha256', salt + number) === challenge);
}
