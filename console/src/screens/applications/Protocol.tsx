import { Checkbox, Select, TagsInput, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Application } from '#api/records.ts';
import { DurationInput } from '#ui/DurationInput.tsx';
import { Fields, type RecordForm } from '#ui/form.tsx';
import { Card } from '#ui/page.tsx';

type Props = { form: RecordForm<Application>; canWrite: boolean };

/** What an application begins with when it gets a lifetime of its own. */
const ACCESS_SECONDS = 900;
const REFRESH_SECONDS = 14 * 86_400;

/** How long its tokens last, and whether it gets new ones by itself. */
export function Tokens({ form, canWrite }: Props) {
  const { values, errors, set } = form;
  const { kind, grants } = values;
  const refreshes = grants.includes('refresh_token');
  const toRefresh = (wanted: boolean) =>
    set(
      wanted
        ? { grants: [...grants, 'refresh_token'] }
        : { grants: grants.filter((grant) => grant !== 'refresh_token'), refreshTokenSeconds: null },
    );
  return (
    <Card split title="Tokens">
      <Fields canWrite={canWrite}>
        <Lifetime
          label={kind === 'management' ? 'Management tokens hold for' : 'Access tokens hold for'}
          usual="As long as the project says"
          value={values.accessTokenSeconds}
          error={errors.accessTokenSeconds}
          begin={ACCESS_SECONDS}
          onChange={(accessTokenSeconds) => set({ accessTokenSeconds })}
        />
        {kind !== 'management' && (
          <Checkbox
            label="Refresh tokens"
            description="It keeps people signed in without asking them again."
            checked={refreshes}
            onChange={(event) => toRefresh(event.currentTarget.checked)}
          />
        )}
        {refreshes && (
          <Lifetime
            label="Refresh tokens may go unused for"
            usual="As long as the project’s sessions"
            value={values.refreshTokenSeconds}
            error={errors.refreshTokenSeconds}
            begin={REFRESH_SECONDS}
            onChange={(refreshTokenSeconds) => set({ refreshTokenSeconds })}
          />
        )}
      </Fields>
    </Card>
  );
}

type LifetimeProps = {
  label: string;
  /** What holds without one of its own. */
  usual: string;
  value: number | null;
  error: string | undefined;
  begin: number;
  onChange: (seconds: number | null) => void;
};

function Lifetime({ label, usual, value, error, begin, onChange }: LifetimeProps) {
  return (
    <>
      <Checkbox
        label={`${label}: ${usual.charAt(0).toLowerCase()}${usual.slice(1)}`}
        checked={value === null}
        onChange={(event) => onChange(event.currentTarget.checked ? null : begin)}
      />
      {value !== null && (
        <DurationInput label={label} value={value} onChange={onChange} {...(error !== undefined && { error })} />
      )}
    </>
  );
}

const PROFILES = [
  { value: 'oauth', label: 'OAuth 2.1' },
  { value: 'fapi2', label: 'FAPI 2.0: pushed requests, its own keys, bound tokens' },
];
const SUBJECTS = [
  { value: 'public', label: 'The same for every application' },
  { value: 'pairwise', label: 'Of its own, that no other sector sees' },
];

/** The parts of the protocol that most applications leave as they are. */
export function Protocol({ form, canWrite }: Props) {
  const { values, errors, set } = form;
  const { kind } = values;
  return (
    <Card split title="Protocol" about="Most applications leave these as they are.">
      <Fields canWrite={canWrite}>
        <Select
          label="Security profile"
          allowDeselect={false}
          data={PROFILES}
          value={values.profile}
          error={errors.profile}
          onChange={(profile) => set({ profile: profile === 'fapi2' ? 'fapi2' : 'oauth' })}
        />
        {(kind === 'web' || kind === 'management') && <Keys form={form} />}
        <Checkbox
          label="Tokens are bound to its key"
          description="DPoP (RFC 9449): a stolen token is of no use."
          checked={values.dpopBound}
          onChange={(event) => set({ dpopBound: event.currentTarget.checked })}
        />
        <TagsInput
          label="Resources"
          description="Addresses of APIs it may ask tokens for (RFC 8707). Enter adds one."
          value={values.resources}
          error={errors.resources}
          onChange={(resources) => set({ resources })}
        />
        {kind !== 'management' && (
          <Select
            label="Ids of people"
            allowDeselect={false}
            data={SUBJECTS}
            value={values.subjectType}
            error={errors.subjectType}
            onChange={(subjectType) => set({ subjectType: subjectType === 'pairwise' ? 'pairwise' : 'public' })}
          />
        )}
        {kind !== 'management' && (
          <TextInput
            label="Back-channel logout address"
            description="Hears when somebody’s session ends, without a browser."
            value={values.backchannelLogoutUri ?? ''}
            error={errors.backchannelLogoutUri}
            onChange={(event) => set({ backchannelLogoutUri: event.currentTarget.value || null })}
          />
        )}
      </Fields>
    </Card>
  );
}

function Keys({ form: { values, errors, set } }: { form: RecordForm<Application> }) {
  const [typed, setTyped] = useState<string | null>(null);
  const keys = typed === null ? { jwks: values.jwks } : keysIn(typed);
  return (
    <Textarea
      label="Public keys"
      description="A JWK Set (RFC 7517) that it proves itself with, instead of a secret."
      placeholder={'{ "keys": [ … ] }'}
      autosize
      minRows={3}
      maxRows={12}
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
      value={typed ?? (values.jwks ? JSON.stringify(values.jwks, null, 2) : '')}
      error={keys === null ? 'This is not JSON.' : errors.jwks}
      onChange={({ currentTarget: { value } }) => {
        setTyped(value);
        const read = keysIn(value);
        if (read) set(read);
      }}
      onBlur={() => keys && setTyped(null)}
    />
  );
}

/** @returns null for what is not JSON; whether it is a set of keys, the server says */
function keysIn(text: string): Pick<Application, 'jwks'> | null {
  if (text.trim() === '') return { jwks: null };
  try {
    return { jwks: JSON.parse(text) };
  } catch {
    return null;
  }
}
