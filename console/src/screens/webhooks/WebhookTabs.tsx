import { useAt } from '#shell/place.ts';
import { Tabs } from '#ui/page.tsx';

export function WebhookTabs() {
  const at = useAt();
  return (
    <Tabs
      name="Webhooks"
      tabs={[
        { to: at('/webhooks'), label: 'Endpoints' },
        { to: at('/webhooks/deliveries'), label: 'Deliveries' },
        { to: at('/webhooks/event-types'), label: 'Event types' },
      ]}
    />
  );
}
