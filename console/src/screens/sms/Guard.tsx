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
      about="What holds back messages that nobody waits for: pumpers have codes sent to numbers that they earn from."
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
    done: 'The guard is changed',
  });
  return (
    <RecordFields form={form}>
      <Fields canWrite={useCan('billing:write')}>
        <Card split title="Where messages go" about="Out of what the tier allows.">
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
  { value: 'FIXED_LINE_OR_MOBILE', label: 'Landline or mobile, where the number does not tell' },
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
    <Card split title="Kinds of numbers" about="Premium rate and shared-cost numbers pay whoever owns them.">
      <Checkbox.Group
        label="Kinds that get messages"
        value={values.numberTypes}
        error={errors.numberTypes && 'Choose at least one.'}
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
  { name: 'perNumber', label: 'To one number' },
  { name: 'perSource', label: 'Asked for from one address' },
  { name: 'perPrefix', label: 'To one block of ten thousand numbers' },
  { name: 'perProject', label: 'Of the whole project' },
] as const;

function Velocity({ form: { values, errors, set } }: Form) {
  return (
    <Card split title="How many an hour" about="What is beyond is refused for the rest of the hour.">
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
      title="Codes that nobody uses"
      about="People use the codes they ask for; pumpers never do. A block whose codes go unused is held back as a whole."
    >
      <Stack gap="md">
        <NumberInput
          label="Hold a block back below"
          description="Of the codes sent to it within a day, so many were used. 0: never."
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
          label="Once it was sent"
          description="Fewer codes say nothing yet."
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
          label="For how long"
          {...(errors.blockSeconds && { error: errors.blockSeconds })}
          value={values.blockSeconds}
          onChange={(blockSeconds) => set({ blockSeconds })}
        />
      </Stack>
    </Card>
  );
}
