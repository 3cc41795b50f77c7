import { SegmentedControl } from '@mantine/core';
import { useApi } from '#api/scope.tsx';
import { sentence } from '#ui/badge.tsx';
import { countryName } from '#ui/countries.ts';
import { Columns, Page } from '#ui/page.tsx';
import { useFilters } from '#ui/search.ts';
import { Loaded, Loading } from '#ui/states.tsx';
import { Cohorts, SecondFactors } from './Months.tsx';
import { Registration } from './Registration.tsx';
import { SaveFigures } from './SaveFigures.tsx';
import { SignIns } from './SignIns.tsx';
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
              <SignIns figures={figures} />
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

const KNOWN_COUNTRIES =
  'Of the address, where the installation knows it (LATCHKEY_COUNTRY_HEADER, LATCHKEY_COUNTRY_FILE).';
const countryOf = (key: string): string => (key === 'unknown' ? 'Not known' : countryName(key));

const ACCOUNTS: Readonly<Record<string, string>> = { created: 'Accounts created', verified: 'Addresses verified' };
const accountOf = (key: string): string => ACCOUNTS[key] ?? sentence(key);

/** `totp_added` */
const factorOf = (key: string): string => sentence(key.replace('totp', 'authenticator app'));
