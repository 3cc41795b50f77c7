import { Button, SimpleGrid, Text } from '@mantine/core';
import { useApi, useCan } from '#api/scope.tsx';
import { useAction } from '#ui/action.ts';
import { Card } from '#ui/page.tsx';
import { Loaded } from '#ui/states.tsx';
import { money } from './money.ts';
import classes from './sms.module.css';

/** The available tiers. */
export function Tiers({ current }: { current: string | null }) {
  const api = useApi();
  const tiers = api.useQuery('get', '/console/v1/billing/addons/sms/tiers');
  const subscribe = useAction(api.useMutation('post', '/console/v1/billing/addons/sms/subscribe'));
  const canWrite = useCan('billing:write');
  const choose = async (tierId: string, name: string, price: string) => {
    const question = {
      title: `Subscribe to ${name}?`,
      body: `${price} a month. An upgrade applies immediately, a downgrade from the next period.`,
      action: 'Subscribe',
    };
    const subscribed = await subscribe.run({ body: { tierId } }, { done: `Subscribed to ${name}`, question });
    if (subscribed?.checkoutUrl) window.location.assign(subscribed.checkoutUrl);
  };
  return (
    <Card title="Tiers">
      <Loaded query={tiers}>
        {({ items }) => (
          <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm">
            {items.map(({ id, name, monthlyPrice, currency, included, hardCap }) => (
              <div key={id} className={classes.tier} data-current={id === current}>
                <Text fw={600}>{name}</Text>
                <Text size="xl" fw={600}>
                  {money(monthlyPrice, currency)}
                </Text>
                <Text size="sm" c="var(--lk-quiet)">
                  {included.toLocaleString('en')} segments included, {hardCap.toLocaleString('en')} at most
                </Text>
                {id === current ? (
                  <Text size="sm" fw={560}>
                    Current
                  </Text>
                ) : (
                  canWrite && (
                    <Button
                      variant="default"
                      loading={subscribe.busy}
                      onClick={() => choose(id, name, money(monthlyPrice, currency))}
                    >
                      {current ? `Change to ${name}` : `Subscribe to ${name}`}
                    </Button>
                  )
                )}
              </div>
            ))}
          </SimpleGrid>
        )}
      </Loaded>
    </Card>
  );
}
