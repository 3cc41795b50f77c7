import { Checkbox, NumberInput, Select, Stack, Switch } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Settings } from '#api/records.ts';
import { useApi, useCan } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { DurationInput } from '#ui/DurationInput.tsx';
import { Fields, RecordFields, type RecordForm } from '#ui/form.tsx';
import { Card, Page } from '#ui/page.tsx';
import { useSettingsForm } from '#ui/settings.ts';
import { Loaded } from '#ui/states.tsx';
import { METHODS, methodsIn } from './methods.ts';

type Form = { form: RecordForm<Settings> };

const FACTORS = [
  { value: 'totp', label: 'Authenticator app' },
  { value: 'passkey', label: 'Passkey' },
  { value: 'phone', label: 'Text message', description: 'The weakest option: phone numbers can be hijacked.' },
];

export function SignIn() {
  const settings = useApi().useQuery('get', '/console/v1/settings');
  return (
    <Page title="Sign-in methods and policy" about="How people sign in, and which proof is required.">
      <Loaded query={settings}>{(record) => <Policy settings={record} />}</Loaded>
    </Page>
  );
}

function Policy({ settings }: { settings: Settings }) {
  const form = useSettingsForm(settings);
  const canWrite = useCan('settings:write');
  return (
    <RecordFields form={form}>
      <Fields canWrite={canWrite}>
        <Methods form={form} />
        <Registration form={form} />
        <Passwords form={form} />
        <SecondFactor form={form} />
        <Lifetimes form={form} />
        <OneTimeSecrets form={form} />
      </Fields>
    </RecordFields>
  );
}

function Methods({ form }: Form) {
  const at = useAt();
  const { values, errors, set } = form;
  return (
    <Card split title="Methods" actions={<Link to={at('/providers')}>Set up identity providers</Link>}>
      <Stack gap="md">
        <Choices
          label="Methods"
          choices={METHODS}
          value={values.signInMethods}
          onChange={(chosen) => set({ signInMethods: methodsIn(chosen) })}
        />
        {errors.signInMethods}
        <Select
          label="Sign-in page"
          maw={380}
          allowDeselect={false}
          data={[
            { value: 'combined', label: 'Identifier and password together' },
            { value: 'identifier_first', label: 'Identifier first, then the matching methods' },
          ]}
          value={values.signInLayout}
          onChange={(value) => set({ signInLayout: value === 'combined' ? 'combined' : 'identifier_first' })}
        />
      </Stack>
    </Card>
  );
}

function isFactor(value: string): value is Settings['mfaFactors'][number] {
  return FACTORS.some((factor) => factor.value === value);
}

type ChoicesProps = {
  label: string;
  choices: readonly { value: string; label: string; description?: string }[];
  value: readonly string[];
  onChange: (value: string[]) => void;
};

function Choices({ label, choices, value, onChange }: ChoicesProps) {
  return (
    <Checkbox.Group value={[...value]} onChange={onChange} aria-label={label}>
      <Stack gap="sm">
        {choices.map((choice) => (
          <Checkbox key={choice.value} {...choice} />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}

function Registration({ form: { values, set } }: Form) {
  return (
    <Card split title="Registration">
      <Stack gap="md">
        <Switch
          label="Open registration"
          description="If off, only people you invite, add or import can join."
          checked={values.registration === 'open'}
          onChange={({ currentTarget: { checked } }) => set({ registration: checked ? 'open' : 'closed' })}
        />
        <Switch
          label="Verify email addresses"
          description="New customers must verify their address before their first session."
          checked={values.emailVerification === 'required'}
          onChange={({ currentTarget: { checked } }) => set({ emailVerification: checked ? 'required' : 'off' })}
        />
        <Switch
          label="Hide existing accounts"
          description="Registering a known address gets the same response; the owner of the address gets a mail."
          checked={values.enumerationProtection}
          onChange={({ currentTarget: { checked } }) => set({ enumerationProtection: checked })}
        />
        <Switch
          label="Proof of work"
          description="Clients solve a small puzzle before they register, sign in or request a message. This makes attacks expensive."
          checked={values.proofOfWork === 'required'}
          onChange={({ currentTarget: { checked } }) => set({ proofOfWork: checked ? 'required' : 'off' })}
        />
        <DurationInput
          label="Invitation lifetime"
          value={values.invitationSeconds}
          onChange={(invitationSeconds) => set({ invitationSeconds })}
        />
      </Stack>
    </Card>
  );
}

function Passwords({ form: { values, errors, set } }: Form) {
  return (
    <Card
      split
      title="Passwords"
      about="Checked for length and known leaks. There are no composition rules and no forced changes, because both weaken passwords."
    >
      <NumberInput
        label="Minimum length"
        description="At least 15 if the password is the only factor."
        maw={380}
        min={8}
        max={128}
        value={values.passwordMinLength}
        error={errors.passwordMinLength}
        onChange={(value) => set({ passwordMinLength: Number(value) })}
      />
    </Card>
  );
}

function SecondFactor({ form: { values, set } }: Form) {
  return (
    <Card split title="Second factor">
      <Stack gap="md">
        <Select
          label="Requirement"
          maw={380}
          allowDeselect={false}
          data={[
            { value: 'off', label: 'Off' },
            { value: 'optional', label: 'Optional: for people who set one up' },
            { value: 'required', label: 'Required for everyone' },
          ]}
          value={values.mfa}
          onChange={(value) => set({ mfa: value === 'off' || value === 'required' ? value : 'optional' })}
        />
        <Choices
          label="Second factors"
          choices={FACTORS}
          value={values.mfaFactors}
          onChange={(value) => set({ mfaFactors: value.filter(isFactor) })}
        />
        <DurationInput
          label="Remember devices for"
          description="A remembered device skips the second factor. 0 disables it."
          value={values.rememberDeviceSeconds}
          onChange={(rememberDeviceSeconds) => set({ rememberDeviceSeconds })}
        />
      </Stack>
    </Card>
  );
}

const LEVELS = [
  { value: 'standard', label: 'Custom' },
  { value: 'aal1', label: 'AAL1: at most 30 days' },
  { value: 'aal2', label: 'AAL2: at most 24 hours, 1 hour idle' },
  { value: 'aal3', label: 'AAL3: at most 12 hours, 15 minutes idle' },
] as const;

function Lifetimes({ form: { values, errors, set } }: Form) {
  return (
    <Card split title="Sessions">
      <Stack gap="md">
        <Select
          label="Assurance level"
          description="Limits the lifetimes to what NIST SP 800-63B-4 allows."
          maw={380}
          allowDeselect={false}
          data={[...LEVELS]}
          value={values.assurance}
          onChange={(value) => set({ assurance: LEVELS.find((level) => level.value === value)?.value ?? 'standard' })}
        />
        <DurationInput
          label="Session lifetime"
          value={values.sessionAbsoluteSeconds}
          error={errors.sessionAbsoluteSeconds}
          onChange={(sessionAbsoluteSeconds) => set({ sessionAbsoluteSeconds })}
        />
        <DurationInput
          label="Session idle timeout"
          value={values.sessionIdleSeconds}
          error={errors.sessionIdleSeconds}
          onChange={(sessionIdleSeconds) => set({ sessionIdleSeconds })}
        />
        <DurationInput
          label="Access token lifetime"
          value={values.accessTokenSeconds}
          error={errors.accessTokenSeconds}
          onChange={(accessTokenSeconds) => set({ accessTokenSeconds })}
        />
        <DurationInput
          label="Authorization code lifetime"
          description="At most ten minutes; one minute for a FAPI 2.0 client."
          value={values.authorizationCodeSeconds}
          error={errors.authorizationCodeSeconds}
          onChange={(authorizationCodeSeconds) => set({ authorizationCodeSeconds })}
        />
        <DurationInput
          label="Management token lifetime"
          description="At most an hour."
          value={values.managementTokenSeconds}
          error={errors.managementTokenSeconds}
          onChange={(managementTokenSeconds) => set({ managementTokenSeconds })}
        />
      </Stack>
    </Card>
  );
}

function OneTimeSecrets({ form: { values, errors, set } }: Form) {
  return (
    <Card split title="Links and codes">
      <Stack gap="md">
        <DurationInput
          label="Mailed link lifetime"
          description="A code in the same mail expires with its link."
          value={values.magicLinkSeconds}
          error={errors.magicLinkSeconds}
          onChange={(magicLinkSeconds) => set({ magicLinkSeconds })}
        />
        <DurationInput
          label="Code lifetime"
          description="At most ten minutes."
          value={values.oneTimeCodeSeconds}
          error={errors.oneTimeCodeSeconds}
          onChange={(oneTimeCodeSeconds) => set({ oneTimeCodeSeconds })}
        />
        <NumberInput
          label="Attempts per code"
          maw={380}
          min={1}
          max={5}
          value={values.oneTimeCodeTries}
          error={errors.oneTimeCodeTries}
          onChange={(value) => set({ oneTimeCodeTries: Number(value) })}
        />
        <DurationInput
          label="Time to enter the second factor"
          value={values.mfaTokenSeconds}
          error={errors.mfaTokenSeconds}
          onChange={(mfaTokenSeconds) => set({ mfaTokenSeconds })}
        />
      </Stack>
    </Card>
  );
}
