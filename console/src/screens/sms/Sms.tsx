import { Button, Progress, Stack, Text } from '@mantine/core';
import { useApi, useCan } from '#api/scope.tsx';
import { useAction } from '#ui/action.ts';
import { Badge, StateBadge, sentence } from '#ui/badge.tsx';
import { exactTime } from '#ui/moments.ts';
import { Card, Facts, Page } from '#ui/page.tsx';
import { Loaded } from '#ui/states.tsx';
import { money } from './money.ts';
import { SmsTabs } from './SmsTabs.tsx';
import { Tiers } from './Tiers.tsx';
import { Usage } from './Usage.tsx';

export function Sms() {
  const status = useApi().useQuery('get', '/console/v1/billing/addons/sms/status');
  return (
    <Page
      title="SMS add-on"
      about="Codes by text message. Each segment that a carrier accepts is counted."
      beside={status.data && <StateBadge state={status.data.status} />}
    >
      <SmsTabs />
      <Loaded query={status}>
        {(addOn) => (
          <>
            {addOn.simulated && (
              <Text size="sm">In the test environment no carrier is used and nothing is charged.</Text>
            )}
            {addOn.tier && addOn.periodEnd && (
              <Period addOn={{ ...addOn, tier: addOn.tier, periodEnd: addOn.periodEnd }} />
            )}
            <Tiers
              current={addOn.status === 'inactive' || addOn.status === 'canceled' ? null : (addOn.tier?.id ?? null)}
            />
            <Usage />
          </>
        )}
      </Loaded>
    </Page>
  );
}

type AddOn = {
  status: string;
  tier: { name: string; monthlyPrice: number; currency: string };
  periodEnd: string;
  nextTier: string | null;
  used: number;
  reserved: number;
  included: number;
  remaining: number;
  hardCap: number;
  cancelAtPeriodEnd: boolean;
};

function Period({ addOn }: { addOn: AddOn }) {
  const { tier, used, reserved, included, hardCap, periodEnd, cancelAtPeriodEnd, nextTier } = addOn;
  const share = hardCap === 0 ? 0 : ((used + reserved) / hardCap) * 100;
  return (
    <Card title={tier.name} actions={<Cancel addOn={addOn} />}>
      <Stack gap="md">
        <div>
          <Text size="sm" mb={6}>
            <b>{(used + reserved).toLocaleString('en')}</b> of {hardCap.toLocaleString('en')} segments;{' '}
            {included.toLocaleString('en')} included
          </Text>
          <Progress
            value={share}
            color={share > 90 ? 'red' : share > 75 ? 'yellow' : 'blue'}
            aria-label="Segments used"
          />
        </div>
        <Facts
          facts={[
            ['Price', `${money(tier.monthlyPrice, tier.currency)} a month`],
            [cancelAtPeriodEnd ? 'Ends' : 'Renews', exactTime(periodEnd)],
            ['Next tier', nextTier ? <Badge key="next">{sentence(nextTier)}</Badge> : 'No change'],
          ]}
        />
      </Stack>
    </Card>
  );
}

function Cancel({ addOn: { cancelAtPeriodEnd, periodEnd, tier } }: { addOn: AddOn }) {
  const api = useApi();
  const cancel = useAction(api.useMutation('post', '/console/v1/billing/addons/sms/cancel'));
  const canWrite = useCan('billing:write');
  if (!canWrite || cancelAtPeriodEnd) return null;
  const question = {
    title: 'Cancel the SMS add-on?',
    body: `Messages are sent until ${exactTime(periodEnd)}.`,
    action: 'Cancel the add-on',
    danger: true,
    typeName: tier.name,
  };
  return (
    <Button
      variant="default"
      size="compact-sm"
      loading={cancel.busy}
      onClick={() => cancel.run({ body: { atPeriodEnd: true } }, { done: 'The add-on ends with the period', question })}
    >
      Cancel
    </Button>
  );
}
