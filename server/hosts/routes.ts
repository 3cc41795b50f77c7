import type { Surface } from '#platform/part.ts';
import { atConsole } from './at-console.ts';
import { PARTS } from './parts.ts';
import { problemPageRoutes } from './problems.page.ts';

const all = (surface: Surface) => PARTS.flatMap(({ routes }) => routes?.[surface] ?? []);

/** The routes of each host. */
export const served = {
  auth: [...all('auth'), ...all('public'), ...problemPageRoutes],
  api: [...all('me'), ...all('admin'), ...all('scim'), ...all('public'), ...problemPageRoutes],
  callbacks: all('callbacks'),
  console: [...all('console'), ...atConsole(all('admin'))],
  consoleDevelopment: all('consoleDevelopment'),
  start: all('start'),
  development: all('development'),
  status: [...all('status'), ...problemPageRoutes],
  statusDomain: all('statusDomain'),
};
