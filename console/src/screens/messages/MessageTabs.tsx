import { useAt } from '#shell/place.ts';
import { Tabs } from '#ui/page.tsx';

export function MessageTabs() {
  const at = useAt();
  return (
    <Tabs
      name="Messages"
      tabs={[
        { to: at('/messages'), label: 'Templates' },
        { to: at('/messages/sent'), label: 'Sent' },
      ]}
    />
  );
}
