import { up as foundation } from './0001-foundation.ts';

/** Every migration in order; append only. */
export const migrations: readonly { id: number; name: string; up: string }[] = [
  { id: 1, name: 'foundation', up: foundation },
];
