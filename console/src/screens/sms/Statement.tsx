import type { SmsStatement } from '#api/records.ts';
import { useApi } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { StateBadge, sentence } from '#ui/badge.tsx';
import { Copy } from '#ui/copy.tsx';
import { Card, Facts, Page } from '#ui/page.tsx';
import { useIdInAddress } from '#ui/search.ts';
import { Loaded } from '#ui/states.tsx';
import { Time } from '#ui/time.tsx';
import { money } from './money.ts';
import { periodOf, stateOf } from './statements.ts';
import { Usage } from './Usage.tsx';

export function Statement() {
  const statementId = useIdInAddress();
  const statement = useApi().useQuery('get', '/console/v1/billing/addons/sms/statements/{statementId}', {
    params: { path: { statementId } },
  });
  return <Loaded query={statement}>{(record) => <Detail statement={record} />}</Loaded>;
}

function Detail({ statement }: { statement: SmsStatement }) {
  const { currency, fees, overage, total, tierId, segments, payment, periodId } = statement;
  return (
    <Page
      title={`Statement of ${periodOf(statement)}`}
      back={{ to: useAt()('/sms/statements'), label: 'Statements' }}
      beside={<StateBadge state={stateOf(statement, Date.now())} />}
    >
      <Card>
        <Facts
          facts={[
            ['Tier', sentence(tierId)],
            ['Segments', segments.toLocaleString('en')],
            ['Fees', money(fees, currency)],
            ['Overage', money(overage, currency)],
            ['Total', <b key="total">{money(total, currency)}</b>],
            ['Payment', payment === 'manual' ? 'Manual' : 'Stripe'],
            ['Issued', <Time key="issued" at={statement.issuedAt} />],
            ['Due', <Time key="due" at={statement.dueAt} />],
            ['Paid', <Time key="paid" at={statement.paidAt} none="Not yet" />],
            ['Statement id', <Copy key="id" value={statement.id} />],
          ]}
        />
      </Card>
      <Usage periodId={periodId} />
    </Page>
  );
}
