import { Checkbox, Select, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Application } from '#api/records.ts';
import { DurationInput } from '#ui/DurationInput.tsx';
import { Fields, type RecordForm } from '#ui/form.tsx';
import { Card } from '#ui/page.tsx';

type Props = { form: RecordForm<Application>; canWrite: boolean };

/** The initial values when an application gets its own lifetimes. */
const ACCESS_SECONDS = 900;
const REFRESH_SECONDS = 14 * 86_400;

/** Token lifetimes, and whether the application gets refresh tokens. */
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
          label={kind === 'management' ? 'Management token lifetime' : 'Access token lifetime'}
          usual="Project default"
          value={values.accessTokenSeconds}
          error={errors.accessTokenSeconds}
          begin={ACCESS_SECONDS}
          onChange={(accessTokenSeconds) => set({ accessTokenSeconds })}
        />
        {kind !== 'management' && (
          <Checkbox
            label="Refresh tokens"
            description="Keep people signed in without asking them again."
            checked={refreshes}
            onChange={(event) => toRefresh(event.currentTarget.checked)}
          />
        )}
        {refreshes && (
          <Lifetime
            label="Refresh token idle timeout"
            usual="Same as the project’s sessions"
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
  /** The default, shown while there is no own value. */
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
  { value: 'fapi2', label: 'FAPI 2.0: pushed authorization requests, key authentication, bound tokens' },
];
const SUBJECTS = [
  { value: 'public', label: 'The same for every application' },
  { value: 'pairwise', label: 'Pairwise: different for each sector' },
];

const ID_TOKEN_CLAIMS = [
  { value: 'requested', label: 'Only those the claims parameter asks for' },
  { value: 'scopes', label: 'Those of the granted scopes, for software that doesn’t read userinfo' },
];

const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';

function TokenExchange({ form: { values, errors, set } }: Pick<Props, 'form'>) {
  const others = values.grants.filter((grant) => grant !== TOKEN_EXCHANGE);
  return (
    <Checkbox
      label="Let it act for people"
      description="Token exchange (RFC 8693): it turns a person’s access token into one for another API. Needs the permission applications:delegate. Not for third-party applications or bound tokens."
      checked={values.grants.includes(TOKEN_EXCHANGE)}
      error={errors.grants}
      onChange={(event) => set({ grants: event.currentTarget.checked ? [...others, TOKEN_EXCHANGE] : others })}
    />
  );
}

/** Protocol settings for which most applications use the default. */
export function Protocol({ form, canWrite }: Props) {
  const { values, errors, set } = form;
  const { kind } = values;
  return (
    <Card split title="Protocol" about="Most applications use the defaults.">
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
        {kind === 'web' && (
          <Checkbox
            label="Require PKCE"
            description="Without it, only your code’s own check of state and nonce detects a stolen sign-in code. Turn it off only for software that can’t send a challenge. FAPI 2.0 always requires it."
            checked={values.pkce === 'required'}
            error={errors.pkce}
            onChange={(event) => set({ pkce: event.currentTarget.checked ? 'required' : 'optional' })}
          />
        )}
        <Checkbox
          label="Bind tokens to a key"
          description="DPoP (RFC 9449): a stolen token can’t be used without the key."
          checked={values.dpopBound}
          onChange={(event) => set({ dpopBound: event.currentTarget.checked })}
        />
        {(kind === 'web' || kind === 'management') && <TokenExchange form={form} />}
        {kind !== 'management' && (
          <Select
            label="Subject identifiers"
            allowDeselect={false}
            data={SUBJECTS}
            value={values.subjectType}
            error={errors.subjectType}
            onChange={(subjectType) => set({ subjectType: subjectType === 'pairwise' ? 'pairwise' : 'public' })}
          />
        )}
        {kind !== 'management' && (
          <Select
            label="Claims in ID tokens"
            allowDeselect={false}
            data={ID_TOKEN_CLAIMS}
            value={values.idTokenClaims}
            error={errors.idTokenClaims}
            onChange={(claims) => set({ idTokenClaims: claims === 'scopes' ? 'scopes' : 'requested' })}
          />
        )}
        {kind !== 'management' && (
          <Checkbox
            label="Enter the default organization"
            description="Sign-ins that name no organization enter the one that the person has chosen as default, if its policy allows it."
            checked={values.usesDefaultOrganization}
            error={errors.usesDefaultOrganization}
            onChange={(event) => set({ usesDefaultOrganization: event.currentTarget.checked })}
          />
        )}
        {kind !== 'management' && (
          <TextInput
            label="Back-channel logout address"
            description="Receives a logout token when a session ends."
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
      description="A JWK Set (RFC 7517) to authenticate with instead of a secret."
      placeholder={'{ "keys": [ … ] }'}
      autosize
      minRows={3}
      maxRows={12}
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
      value={typed ?? (values.jwks ? JSON.stringify(values.jwks, null, 2) : '')}
      error={keys === null ? 'Not valid JSON.' : errors.jwks}
      onChange={({ currentTarget: { value } }) => {
        setTyped(value);
        const read = keysIn(value);
        if (read) set(read);
      }}
      onBlur={() => keys && setTyped(null)}
    />
  );
}

/** @returns null if the text is not JSON. The server checks that it is a key set */
function keysIn(text: string): Pick<Application, 'jwks'> | null {
  if (text.trim() === '') return { jwks: null };
  try {
    return { jwks: JSON.parse(text) };
  } catch {
    return null;
  }
}
