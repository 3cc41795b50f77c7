import { SegmentedControl } from '@mantine/core';
import { useApi, useCan } from '#api/scope.tsx';
import { sentence } from '#ui/badge.tsx';
import { countryName } from '#ui/countries.ts';
import { Columns, Page } from '#ui/page.tsx';
import { useFilters } from '#ui/search.ts';
import { Loaded, Loading } from '#ui/states.tsx';
import { Cohorts, SecondFactors } from './Months.tsx';
import { Registration } from './Registration.tsx';
import { SaveFigures } from './SaveFigures.tsx';
import { Split } from './Split.tsx';

const PERIODS = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'A year' },
];

/** How people sign in, register and return. */
export function Insight() {
  const [{ days = '30' }, setFilters] = useFilters();
  const insight = useApi().useQuery(
    'get',
    '/console/v1/insight',
    { params: { query: { days: Number(days) } } },
    { placeholderData: (before) => before },
  );
  const applicationOf = useApplicationNames();
  return (
    <Page
      title="Insight"
      about="How people sign in, register and return. Counted from the event log, by days of UTC."
      actions={
        <>
          {insight.data && <SaveFigures figures={insight.data} />}
          <SegmentedControl
            data={PERIODS}
            value={days}
            onChange={(value) => setFilters({ days: value })}
            aria-label="Period"
          />
        </>
      }
    >
      <Loaded query={insight} skeleton={<Loading lines={12} />}>
        {(figures) => (
          <>
            <Columns>
              <Split figures={figures} figure="sign_ins_by_way" title="Sign-ins by way" name={wayOf} term="amr" />
              <Split
                figures={figures}
                figure="sign_ins_by_application"
                title="Sign-ins by application"
                name={applicationOf}
              />
              <Split figures={figures} figure="failures_by_reason" title="Failed sign-ins by reason" name={sentence} />
              <Split
                figures={figures}
                figure="sign_ins_by_country"
                title="Sign-ins by country"
                about={KNOWN_COUNTRIES}
                name={countryOf}
              />
              <Registration figures={figures} />
              <Split figures={figures} figure="registrations" title="New accounts" name={accountOf} />
              <Split figures={figures} figure="second_factors" title="Second factors and passkeys" name={factorOf} />
              <Split figures={figures} figure="mails" title="Mails" name={sentence} />
              <Split figures={figures} figure="texts" title="Text messages" name={sentence} />
            </Columns>
            <SecondFactors figures={figures} />
            <Cohorts figures={figures} />
          </>
        )}
      </Loaded>
    </Page>
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

const KNOWN_COUNTRIES =
  'Of the address, where the installation knows it (LATCHKEY_COUNTRY_HEADER, LATCHKEY_COUNTRY_FILE).';
const countryOf = (key: string): string => (key === 'unknown' ? 'Not known' : countryName(key));

const ACCOUNTS: Readonly<Record<string, string>> = { created: 'Accounts created', verified: 'Addresses verified' };
const accountOf = (key: string): string => ACCOUNTS[key] ?? sentence(key);

/** `totp_added` */
const factorOf = (key: string): string => sentence(key.replace('totp', 'authenticator app'));
