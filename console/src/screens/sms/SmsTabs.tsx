import { useAt } from '#shell/place.ts';
import { Tabs } from '#ui/page.tsx';

export function SmsTabs() {
  const at = useAt();
  return (
    <Tabs
      name="SMS add-on"
      tabs={[
        { to: at('/sms'), label: 'Plan and usage' },
        { to: at('/sms/guard'), label: 'Guard' },
        { to: at('/sms/statements'), label: 'Statements' },
      ]}
    />
  );
}
