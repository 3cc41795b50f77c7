import { useCan, useScope } from '#api/scope.tsx';
import { useEventTypes } from '#screens/webhooks/eventTypes.ts';
import { useAt, useHere } from '#shell/place.ts';

const OF_PROJECT = {
  list: '/console/v1/log-streams',
  one: '/console/v1/log-streams/{logStreamId}',
  faults: '/console/v1/log-streams/{logStreamId}/faults',
  test: '/console/v1/log-streams/{logStreamId}/test',
  pause: '/console/v1/log-streams/{logStreamId}/pause',
  resume: '/console/v1/log-streams/{logStreamId}/resume',
} as const;
const OF_TEAM = {
  list: '/console/v1/team/log-streams',
  one: '/console/v1/team/log-streams/{logStreamId}',
  faults: '/console/v1/team/log-streams/{logStreamId}/faults',
  test: '/console/v1/team/log-streams/{logStreamId}/test',
  pause: '/console/v1/team/log-streams/{logStreamId}/pause',
  resume: '/console/v1/team/log-streams/{logStreamId}/resume',
} as const;

/** Whether the screen is about the log streams of the team, and not of a project environment. */
export function useIsTeam(): boolean {
  return useScope().projectId === null;
}

/** The operations on the log streams of this screen. */
export function useStreamPaths() {
  return useIsTeam() ? OF_TEAM : OF_PROJECT;
}

/** Builds the paths of the screens of log streams. */
export function useStreamsAt(): (path: string) => string {
  const { workspace } = useHere();
  const at = useAt();
  const isTeam = useIsTeam();
  return (path) => (isTeam ? `/${workspace}/team${path}` : at(path));
}

export function useCanWriteStreams(): boolean {
  const write = { project: useCan('log-streams:write'), team: useCan('team-log-streams:write') };
  return useIsTeam() ? write.team : write.project;
}

/** What the log of a workspace has most of; other types can be typed. */
const TYPES_OF_TEAM = ['team.*', 'workspace.*', 'project.*', 'log_stream.*'];

/** The event types to choose from. */
export function useTypeChoices(): string[] {
  const isTeam = useIsTeam();
  const { choices } = useEventTypes({ enabled: !isTeam });
  return isTeam ? TYPES_OF_TEAM : choices;
}
