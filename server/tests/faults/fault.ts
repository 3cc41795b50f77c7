import type { Installation, Site } from './site.ts';

/** A fault that begins and ends while clients send requests. */
export type Fault = {
  name: string;
  /** Runs only with `--long`. */
  long?: true;
  /** The balancer hides the fault, so no request may be dropped. */
  seamless?: true;
  /** Why this machine can't produce the fault; null if it can. */
  obstacle?: (site: Site) => string | null;
  /** Opens another installation for this fault. It ends with this process. */
  open?: (site: Site) => Promise<Installation>;
  /** Produces the fault and ends it. @returns what was measured */
  run: (site: Site) => Promise<string | undefined>;
};

export const NO_MOUNT = 'only root may mount a small disk, and only on Linux';
