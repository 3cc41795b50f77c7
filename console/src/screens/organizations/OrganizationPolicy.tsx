import { MultiSelect, Select, Switch, Textarea } from '@mantine/core';
import { useMemo } from 'react';
import type { OrganizationPolicy as PolicyRecord } from '#api/records.ts';
import { useApi } from '#api/scope.tsx';
import { METHODS, methodsIn } from '#screens/sign-in/methods.ts';
import { SettingsCard, useRecordForm } from '#ui/form.tsx';
import { Loaded } from '#ui/states.tsx';

const REQUIRED = 'required';

const LENGTHS = [
  { value: '', label: 'Same as the project' },
  { value: '900', label: '15 minutes' },
  { value: '3600', label: '1 hour' },
  { value: '28800', label: '8 hours' },
  { value: '86400', label: '1 day' },
  { value: '604800', label: '7 days' },
  { value: '2592000', label: '30 days' },
];

/** The policy as its form shows it. An empty value means that the project decides. */
type Values = {
  signInMethods: string[];
  mfa: boolean;
  sessionIdleSeconds: string;
  sessionAbsoluteSeconds: string;
  addresses: string;
};

const valuesOf = (policy: PolicyRecord): Values => ({
  signInMethods: policy.signInMethods ?? [],
  mfa: policy.mfa === 'required',
  sessionIdleSeconds: String(policy.sessionIdleSeconds ?? ''),
  sessionAbsoluteSeconds: String(policy.sessionAbsoluteSeconds ?? ''),
  addresses: (policy.addresses ?? []).join('\n'),
});

const secondsIn = (text: string) => (text === '' ? null : Number(text));

function listed<T>(items: T[]): T[] | null {
  return items.length === 0 ? null : items;
}

/** What a change of the form sends. */
function changesOf(changes: Partial<Values>): Partial<PolicyRecord> {
  const { signInMethods, mfa, sessionIdleSeconds, sessionAbsoluteSeconds, addresses } = changes;
  return {
    ...(signInMethods !== undefined && { signInMethods: listed(methodsIn(signInMethods)) }),
    ...(mfa !== undefined && { mfa: mfa ? REQUIRED : null }),
    ...(sessionIdleSeconds !== undefined && { sessionIdleSeconds: secondsIn(sessionIdleSeconds) }),
    ...(sessionAbsoluteSeconds !== undefined && { sessionAbsoluteSeconds: secondsIn(sessionAbsoluteSeconds) }),
    ...(addresses !== undefined && { addresses: listed(addresses.split(/\s+/).filter((line) => line !== '')) }),
  };
}

type Props = { organizationId: string; canWrite: boolean };

/** The organization's own requirements for sessions, in addition to those of the project. */
export function OrganizationPolicy({ organizationId, canWrite }: Props) {
  const params = { path: { organizationId } };
  const policy = useApi().useQuery('get', '/console/v1/organizations/{organizationId}/policy', { params });
  return (
    <Loaded query={policy}>
      {(record) => <Edit organizationId={organizationId} canWrite={canWrite} policy={record} reread={policy.refetch} />}
    </Loaded>
  );
}

type EditProps = Props & { policy: PolicyRecord; reread: () => Promise<{ data?: PolicyRecord }> };

function Edit({ organizationId, canWrite, policy, reread }: EditProps) {
  const change = useApi().useMutation('patch', '/console/v1/organizations/{organizationId}/policy');
  const record = useMemo(() => valuesOf(policy), [policy]);
  const form = useRecordForm({
    record,
    path: `/console/v1/organizations/${organizationId}/policy`,
    save: {
      isPending: change.isPending,
      mutateAsync: async ({ changes, headers }) =>
        valuesOf(await change.mutateAsync({ params: { path: { organizationId } }, body: changesOf(changes), headers })),
    },
    reread: async () => {
      const { data } = await reread();
      return { data: data && valuesOf(data) };
    },
    done: 'Policy saved',
    undone: 'Change undone',
  });
  const { values, errors, set } = form;
  return (
    <SettingsCard title="Policy" form={form} canWrite={canWrite}>
      <MultiSelect
        label="Sign-in methods"
        description="People who signed in another way cannot enter the organization."
        placeholder={values.signInMethods.length === 0 ? 'Same as the project' : ''}
        data={METHODS}
        value={values.signInMethods}
        error={errors.signInMethods}
        onChange={(signInMethods) => set({ signInMethods })}
      />
      <Switch
        label="Require a second factor"
        checked={values.mfa}
        onChange={({ currentTarget: { checked } }) => set({ mfa: checked })}
      />
      <Length label="Session idle timeout" name="sessionIdleSeconds" form={form} />
      <Length label="Session lifetime" name="sessionAbsoluteSeconds" form={form} />
      <Textarea
        label="Addresses"
        description="IP addresses or ranges (CIDR) that people may use, one per line. Empty allows all."
        autosize
        minRows={2}
        maxRows={10}
        {...form.text('addresses')}
      />
    </SettingsCard>
  );
}

type LengthProps = {
  label: string;
  name: 'sessionIdleSeconds' | 'sessionAbsoluteSeconds';
  form: Pick<ReturnType<typeof useRecordForm<Values>>, 'values' | 'errors' | 'set'>;
};

function Length({ label, name, form: { values, errors, set } }: LengthProps) {
  const value = values[name];
  const own = LENGTHS.some((length) => length.value === value) ? [] : [{ value, label: `${value} seconds` }];
  return (
    <Select
      label={label}
      allowDeselect={false}
      data={[...LENGTHS, ...own]}
      value={value}
      error={errors[name]}
      onChange={(chosen) => set({ [name]: chosen ?? '' })}
    />
  );
}
