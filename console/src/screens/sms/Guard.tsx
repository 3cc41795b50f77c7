import { Checkbox, NumberInput, SimpleGrid, Stack } from '@mantine/core';
import type { SmsGuard } from '#api/records.ts';
import { useApi, useCan } from '#api/scope.tsx';
import { DurationInput } from '#ui/DurationInput.tsx';
import { Fields, RecordFields, type RecordForm, useRecordForm } from '#ui/form.tsx';
import { Card, Page } from '#ui/page.tsx';
import { Loaded } from '#ui/states.tsx';
import { GuardBlocks } from './GuardBlocks.tsx';
import { GuardCountries } from './GuardCountries.tsx';
import { SmsTabs } from './SmsTabs.tsx';

const PATH = '/console/v1/billing/addons/sms/guard';

export function Guard() {
  const rules = useApi().useQuery('get', PATH);
  return (
    <Page
      title="SMS add-on"
      about="Protection against SMS pumping, where attackers request codes for numbers that earn them money."
    >
      <SmsTabs />
      <Loaded query={rules}>
        {(record) => (
          <>
            <Rules rules={record} />
            <GuardBlocks />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Rules({ rules }: { rules: SmsGuard }) {
  const api = useApi();
  const change = api.useMutation('patch', PATH);
  const query = api.useQuery('get', PATH);
  const form = useRecordForm({
    record: rules,
    path: PATH,
    save: {
      isPending: change.isPending,
      mutateAsync: ({ changes, headers }) => change.mutateAsync({ body: changes, headers }),
    },
    reread: query.refetch,
    done: 'Guard saved',
  });
  return (
    <RecordFields form={form}>
      <Fields canWrite={useCan('billing:write')}>
        <Card split title="Countries" about="Out of those that the tier allows.">
          <GuardCountries form={form} />
        </Card>
        <Numbers form={form} />
        <Velocity form={form} />
        <Conversion form={form} />
      </Fields>
    </RecordFields>
  );
}

type Form = { form: RecordForm<SmsGuard> };

const KINDS: readonly { value: SmsGuard['numberTypes'][number]; label: string }[] = [
  { value: 'MOBILE', label: 'Mobile' },
  { value: 'FIXED_LINE_OR_MOBILE', label: 'Landline or mobile (can’t be distinguished)' },
  { value: 'PERSONAL_NUMBER', label: 'Personal numbers' },
  { value: 'FIXED_LINE', label: 'Landline' },
  { value: 'VOIP', label: 'Internet telephony' },
  { value: 'PAGER', label: 'Pagers' },
  { value: 'UAN', label: 'Company-wide numbers' },
  { value: 'VOICEMAIL', label: 'Voicemail' },
  { value: 'TOLL_FREE', label: 'Toll-free' },
  { value: 'SHARED_COST', label: 'Shared cost' },
  { value: 'PREMIUM_RATE', label: 'Premium rate' },
];

function Numbers({ form: { values, errors, set } }: Form) {
  return (
    <Card split title="Number types" about="Premium-rate and shared-cost numbers pay their owners.">
      <Checkbox.Group
        label="Allowed types"
        value={values.numberTypes}
        error={errors.numberTypes && 'Select at least one.'}
        onChange={(chosen) =>
          set({ numberTypes: KINDS.flatMap(({ value }) => (chosen.includes(value) ? [value] : [])) })
        }
      >
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xs" mt="xs">
          {KINDS.map(({ value, label }) => (
            <Checkbox key={value} value={value} label={label} />
          ))}
        </SimpleGrid>
      </Checkbox.Group>
    </Card>
  );
}

const LIMITS = [
  { name: 'perNumber', label: 'Per number' },
  { name: 'perSource', label: 'Per source address' },
  { name: 'perPrefix', label: 'Per block of ten thousand numbers' },
  { name: 'perProject', label: 'Per project' },
] as const;

function Velocity({ form: { values, errors, set } }: Form) {
  return (
    <Card split title="Messages per hour" about="Further messages are rejected for the rest of the hour.">
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
        {LIMITS.map(({ name, label }) => (
          <NumberInput
            key={name}
            label={label}
            min={1}
            max={1_000_000}
            allowDecimal={false}
            thousandSeparator=","
            value={values[name]}
            error={errors[name]}
            onChange={(number) => set({ [name]: Number(number) })}
          />
        ))}
      </SimpleGrid>
    </Card>
  );
}

function Conversion({ form: { values, errors, set } }: Form) {
  return (
    <Card
      split
      title="Unused codes"
      about="People use the codes they request; attackers don’t. A block of numbers with too few used codes gets no more messages."
    >
      <Stack gap="md">
        <NumberInput
          label="Minimum share of used codes"
          description="Blocks of numbers with a smaller share within a day get no more messages. 0 disables the rule."
          suffix=" %"
          min={0}
          max={100}
          allowDecimal={false}
          maw={380}
          value={values.conversionPercent}
          error={errors.conversionPercent}
          onChange={(number) => set({ conversionPercent: Number(number) })}
        />
        <NumberInput
          label="Minimum number of codes"
          description="Blocks with fewer codes are not evaluated."
          suffix=" codes"
          min={5}
          max={100_000}
          allowDecimal={false}
          maw={380}
          value={values.conversionSample}
          error={errors.conversionSample}
          onChange={(number) => set({ conversionSample: Number(number) })}
        />
        <DurationInput
          label="Block for"
          {...(errors.blockSeconds && { error: errors.blockSeconds })}
          value={values.blockSeconds}
          onChange={(blockSeconds) => set({ blockSeconds })}
        />
      </Stack>
    </Card>
  );
}
