import type { Insight as Figures } from '#api/records.ts';
import { useApi, useCan } from '#api/scope.tsx';
import { sentence } from '#ui/badge.tsx';
import { Split } from './Split.tsx';

/** Sign-ins by way and by application, each in a card. */
export function SignIns({ figures }: { figures: Figures }) {
  const applicationOf = useApplicationNames();
  return (
    <>
      <Split figures={figures} figure="sign_ins_by_way" title="Sign-ins by way" name={wayOf} term="amr" />
      <Split figures={figures} figure="sign_ins_by_application" title="Sign-ins by application" name={applicationOf} />
    </>
  );
}

/** The name of an application by its id; one that was removed is shown by its id. */
function useApplicationNames(): (id: string) => string {
  const { data } = useApi().useQuery(
    'get',
    '/console/v1/applications',
    { params: { query: { limit: 100 } } },
    { enabled: useCan('applications:read') },
  );
  const names = new Map(data?.items.map(({ id, name }) => [id, name]));
  return (id) => (id === 'unknown' ? 'Application not named' : (names.get(id) ?? id));
}

const METHODS: Readonly<Record<string, string>> = {
  pwd: 'Password',
  otp: 'Code',
  sms: 'Text message',
  fed: 'Identity provider',
  hwk: 'Passkey of a device',
  swk: 'Synced passkey',
};

/** The methods of a sign-in in plain words (RFC 8176). A passkey says by itself that its user was present, with two factors. */
function wayOf(key: string): string {
  const methods = key.split('+');
  const names = methods.filter((method) => method !== 'user' && method !== 'mfa');
  const name = names.map((method) => METHODS[method] ?? sentence(method)).join(' + ');
  const isPasskey = methods.includes('hwk') || methods.includes('swk');
  return methods.includes('mfa') && !isPasskey ? `${name}, two factors` : name;
}
