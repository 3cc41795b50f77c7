import type { Site } from './site.ts';

/** Something that breaks, and ends. */
export type Fault = {
  name: string;
  /** Left out of the short form. */
  long?: true;
  /** A balancer hides it: no request may fail. */
  seamless?: true;
  /** Why it can't be tried here, or null. */
  obstacle?: (site: Site) => string | null;
  /** Brings the fault about and ends it. @returns what was measured */
  run: (site: Site) => Promise<string | undefined>;
};

export const NO_MOUNT = 'only root may mount a small disk, and only on Linux';
