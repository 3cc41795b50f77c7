import { useAt } from '#shell/place.ts';
import { Tabs } from '#ui/page.tsx';

export function OrganizationTabs() {
  const at = useAt();
  return (
    <Tabs
      name="Organizations"
      tabs={[
        { to: at('/organizations'), label: 'Organizations' },
        { to: at('/organizations/roles'), label: 'Roles' },
      ]}
    />
  );
}
