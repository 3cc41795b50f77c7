import { useAt } from '#shell/place.ts';
import { Tabs } from '#ui/page.tsx';

export function AuthorizationTabs() {
  const at = useAt();
  return (
    <Tabs
      name="Authorization"
      tabs={[
        { to: at('/authorization'), label: 'Check' },
        { to: at('/authorization/relations'), label: 'Relations' },
        { to: at('/authorization/types'), label: 'Types' },
      ]}
    />
  );
}
