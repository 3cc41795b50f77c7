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

type Form = { form: RecordForm<Settings> };

const METHODS = [
  { value: 'password', label: 'Password' },
  { value: 'passkey', label: 'Passkey', description: 'Fingerprint, face or security key; can’t be phished.' },
  { value: 'magic_link', label: 'Mailed link' },
  { value: 'email_code', label: 'Mailed code' },
  { value: 'phone', label: 'Text message', description: 'Needs the SMS add-on in production.' },
  { value: 'social', label: 'Identity providers', description: 'Google, Apple, GitHub and others you set up.' },
];
const FACTORS = [
  { value: 'totp', label: 'Authenticator app' },
  { value: 'passkey', label: 'Passkey' },
  { value: 'phone', label: 'Text message', description: 'The weakest of the three: numbers can be taken over.' },
];

export function SignIn() {
  const settings = useApi().useQuery('get', '/console/v1/settings');
  return (
    <Page title="Sign-in methods and policy" about="How people get in, and how sure you are that it’s them.">
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
    <Card split title="Ways in" actions={<Link to={at('/providers')}>Set up identity providers</Link>}>
      <Stack gap="md">
        <Choices
          label="Ways in"
          choices={METHODS}
          value={values.signInMethods}
          onChange={(value) =>
            set({
              signInMethods: METHODS.map((method) => method.value)
                .filter(isMethod)
                .filter((method) => value.includes(method)),
            })
          }
        />
        {errors.signInMethods}
        <Select
          label="Sign-in page"
          maw={380}
          allowDeselect={false}
          data={[
            { value: 'combined', label: 'Address and password together' },
            { value: 'identifier_first', label: 'Address first, then what fits' },
          ]}
          value={values.signInLayout}
          onChange={(value) => set({ signInLayout: value === 'combined' ? 'combined' : 'identifier_first' })}
        />
      </Stack>
    </Card>
  );
}

function isMethod(value: string): value is Settings['signInMethods'][number] {
  return METHODS.some((method) => method.value === value);
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
          label="Anybody may register"
          description="Off: only people you invite or import."
          checked={values.registration === 'open'}
          onChange={({ currentTarget: { checked } }) => set({ registration: checked ? 'open' : 'closed' })}
        />
        <Switch
          label="Addresses are verified first"
          description="A new customer proves the address before the first session."
          checked={values.emailVerification === 'required'}
          onChange={({ currentTarget: { checked } }) => set({ emailVerification: checked ? 'required' : 'off' })}
        />
        <Switch
          label="Hide whether an address is known"
          description="Registration answers the same for a known address; its owner gets a mail instead."
          checked={values.enumerationProtection}
          onChange={({ currentTarget: { checked } }) => set({ enumerationProtection: checked })}
        />
        <Switch
          label="Proof of work"
          description="Clients solve a small puzzle before they register, sign in or ask for a message: it makes attacks expensive."
          checked={values.proofOfWork === 'required'}
          onChange={({ currentTarget: { checked } }) => set({ proofOfWork: checked ? 'required' : 'off' })}
        />
        <DurationInput
          label="Invitations hold for"
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
      about="Long ones, checked against known leaks. No rules about signs and no forced changes: both make passwords worse."
    >
      <NumberInput
        label="Shortest length"
        description="At least 15 is asked for where the password is the only factor."
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
          label="Asked for"
          maw={380}
          allowDeselect={false}
          data={[
            { value: 'off', label: 'From nobody' },
            { value: 'optional', label: 'From those who set one up' },
            { value: 'required', label: 'From everybody' },
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
          label="A device is remembered for"
          description="It skips the second factor meanwhile; 0 turns that off."
          value={values.rememberDeviceSeconds}
          onChange={(rememberDeviceSeconds) => set({ rememberDeviceSeconds })}
        />
      </Stack>
    </Card>
  );
}

const LEVELS = [
  { value: 'standard', label: 'As set below' },
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
          description="Caps the lifetimes at what NIST SP 800-63B-4 allows."
          maw={380}
          allowDeselect={false}
          data={[...LEVELS]}
          value={values.assurance}
          onChange={(value) => set({ assurance: LEVELS.find((level) => level.value === value)?.value ?? 'standard' })}
        />
        <DurationInput
          label="A session ends after"
          value={values.sessionAbsoluteSeconds}
          error={errors.sessionAbsoluteSeconds}
          onChange={(sessionAbsoluteSeconds) => set({ sessionAbsoluteSeconds })}
        />
        <DurationInput
          label="Or when it is not used for"
          value={values.sessionIdleSeconds}
          error={errors.sessionIdleSeconds}
          onChange={(sessionIdleSeconds) => set({ sessionIdleSeconds })}
        />
        <DurationInput
          label="Access tokens hold for"
          value={values.accessTokenSeconds}
          error={errors.accessTokenSeconds}
          onChange={(accessTokenSeconds) => set({ accessTokenSeconds })}
        />
        <DurationInput
          label="Authorization codes hold for"
          description="At most ten minutes; one for a FAPI 2.0 client."
          value={values.authorizationCodeSeconds}
          error={errors.authorizationCodeSeconds}
          onChange={(authorizationCodeSeconds) => set({ authorizationCodeSeconds })}
        />
        <DurationInput
          label="Management tokens hold for"
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
          label="Mailed links hold for"
          description="A code in the same mail ends with its link."
          value={values.magicLinkSeconds}
          error={errors.magicLinkSeconds}
          onChange={(magicLinkSeconds) => set({ magicLinkSeconds })}
        />
        <DurationInput
          label="Codes hold for"
          description="At most ten minutes."
          value={values.oneTimeCodeSeconds}
          error={errors.oneTimeCodeSeconds}
          onChange={(oneTimeCodeSeconds) => set({ oneTimeCodeSeconds })}
        />
        <NumberInput
          label="Wrong tries after which a code is void"
          maw={380}
          min={1}
          max={5}
          value={values.oneTimeCodeTries}
          error={errors.oneTimeCodeTries}
          onChange={(value) => set({ oneTimeCodeTries: Number(value) })}
        />
        <DurationInput
          label="A sign-in waits for its second factor for"
          value={values.mfaTokenSeconds}
          error={errors.mfaTokenSeconds}
          onChange={(mfaTokenSeconds) => set({ mfaTokenSeconds })}
        />
      </Stack>
    </Card>
  );
}
