import type { Routes } from '#platform/route.ts';
import { streamActionRoutes } from './stream-actions.admin.ts';
import { streamRoutes } from './streams.admin.ts';

const FROM = '/v1/admin/log-streams';
const TO = '/console/v1/team/log-streams';

/** What differs in the description of each route. */
const WORDS: Readonly<Record<string, { summary: string; description?: string }>> = {
  'GET ': {
    summary: 'List log streams of the team',
    description: 'They send the log of the workspace itself: what its team does that concerns no project.',
  },
  'POST ': {
    summary: 'Add a log stream of the team',
    description:
      'Sends the log of the workspace itself to another system: in order, at least once. It has one entry per event of the workspace that concerns no project, such as a change of the team. A team has up to ten log streams.',
  },
  'GET /:logStreamId': { summary: 'Read a log stream of the team with its lag' },
  'PATCH /:logStreamId': { summary: 'Change a log stream of the team' },
  'DELETE /:logStreamId': { summary: 'Remove a log stream of the team' },
  'POST /:logStreamId/pause': { summary: 'Pause a log stream of the team' },
  'POST /:logStreamId/resume': { summary: 'Resume a log stream of the team' },
  'POST /:logStreamId/test': { summary: 'Test a log stream of the team' },
  'GET /:logStreamId/faults': { summary: 'List the last faults of a log stream of the team' },
};

/** The routes of log streams for the log of a workspace. They are the same functions in a scope without a project. */
export const teamStreamRoutes: Routes = [...streamRoutes, ...streamActionRoutes].map((route) => {
  const rest = route.path.slice(FROM.length);
  const words = WORDS[`${route.method} ${rest}`];
  if (!words) throw new Error(`${route.method} ${route.path} has no description for teams.`);
  const permission = route.method === 'GET' ? 'team-log-streams:read' : 'team-log-streams:write';
  return { ...route, ...words, path: TO + rest, permission, level: 'workspace' };
});
