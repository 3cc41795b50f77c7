import { appendFileSync } from 'node:fs';

/** Adds a failure to the file that `.ci/print-failures.mjs` prints at the end of CI's log. Outside of CI there is no file. */
export function noteFailure(name, error = '') {
  const file = process.env.CI_FAILURES;
  if (file) appendFileSync(file, `✖ ${name}\n${error.trim().replaceAll(/^/gm, '  ')}\n`);
}
