import { useAt } from '#shell/place.ts';
import { Tabs } from '#ui/page.tsx';

export function StatusTabs() {
  const at = useAt();
  return (
    <Tabs
      name="Status"
      tabs={[
        { to: at('/status'), label: 'Incidents' },
        { to: at('/status/maintenance'), label: 'Maintenance' },
        { to: at('/status/templates'), label: 'Templates' },
        { to: at('/status/components'), label: 'Components' },
        { to: at('/status/subscribers'), label: 'Subscribers' },
        { to: at('/status/settings'), label: 'Settings' },
      ]}
    />
  );
}
