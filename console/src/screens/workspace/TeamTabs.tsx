import { useCan } from '#api/scope.tsx';
import { useHere } from '#shell/place.ts';
import { Tabs } from '#ui/page.tsx';

/** For those who may see more than the team itself. */
export function TeamTabs() {
  const { workspace } = useHere();
  if (!useCan('team-log-streams:read')) return null;
  return (
    <Tabs
      name="Team"
      tabs={[
        { to: `/${workspace}/team`, label: 'Team' },
        { to: `/${workspace}/team/log-streams`, label: 'Log streams' },
      ]}
    />
  );
}
