import { MultiSelect, Radio, Stack } from '@mantine/core';
import type { SmsGuard } from '#api/records.ts';
import { useApi } from '#api/scope.tsx';
import type { RecordForm } from '#ui/form.tsx';
import { countriesAmong } from './countries.ts';

/** All countries that the tier allows, or a selection. */
export function GuardCountries({ form: { values, errors, set } }: { form: RecordForm<SmsGuard> }) {
  const { data: addOn } = useApi().useQuery('get', '/console/v1/billing/addons/sms/status');
  const { countries } = values;
  const ofTier = addOn?.tier?.countries ?? null;
  return (
    <Stack gap="md">
      <Radio.Group
        aria-label="Countries"
        value={countries === null ? 'all' : 'some'}
        onChange={(which) => set({ countries: which === 'all' ? null : (countries ?? []) })}
      >
        <Stack gap="xs">
          <Radio
            value="all"
            label={ofTier === null ? 'Every country' : `Every country of the tier (${ofTier.length})`}
          />
          <Radio value="some" label="Only these countries" />
        </Stack>
      </Radio.Group>
      {countries !== null && (
        <MultiSelect
          label="Allowed countries"
          description={countries.length === 0 ? 'No countries selected: no messages are sent.' : undefined}
          data={countriesAmong(ofTier === null ? null : [...new Set([...ofTier, ...countries])])}
          searchable
          clearable
          clearButtonProps={{ 'aria-label': 'Clear countries' }}
          hidePickedOptions
          value={countries}
          error={errors.countries}
          onChange={(chosen) => set({ countries: chosen })}
        />
      )}
    </Stack>
  );
}
