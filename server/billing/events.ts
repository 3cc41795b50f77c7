import { Type } from 'typebox';
import { define, type EventData, text } from '#platform/event.ts';

const AddOn = Type.Object({ addon: text, tierId: text });
const statementId = 'stm_01kaz3w9hqf8p9n2m4v5x6y7z8';

export const events = {
  'billing.addon.subscribed': define('An add-on was subscribed to.', AddOn, { addon: 'sms', tierId: 'growth' }),
  'billing.addon.checkout_started': define(
    'An operator was sent to the payment provider to subscribe to an add-on.',
    AddOn,
    { addon: 'sms', tierId: 'growth' },
  ),
  'billing.addon.changed': define(
    'A larger tier of an add-on applies from now on. `proration`: the additional price of the rest of the period, in minor units.',
    Type.Object({ ...AddOn.properties, fromTierId: text, proration: Type.Integer(), currency: text }),
    { addon: 'sms', tierId: 'scale', fromTierId: 'growth', proration: 17_500, currency: 'USD' },
  ),
  'billing.addon.change_scheduled': define(
    'An add-on changes to another tier with the next period; to the current tier if the change was withdrawn.',
    Type.Object({ ...AddOn.properties, at: text }),
    { addon: 'sms', tierId: 'starter', at: '2027-01-31T09:00:00.000Z' },
  ),
  'billing.addon.canceling': define(
    'An add-on was canceled and ends with its period.',
    Type.Object({ ...AddOn.properties, at: text }),
    { addon: 'sms', tierId: 'growth', at: '2027-01-31T09:00:00.000Z' },
  ),
  'billing.addon.canceled': define('An add-on ended.', Type.Object({ ...AddOn.properties, reason: text }), {
    addon: 'sms',
    tierId: 'growth',
    reason: 'requested',
  }),
  'billing.addon.resumed': define('The cancellation of an add-on was withdrawn.', AddOn, {
    addon: 'sms',
    tierId: 'growth',
  }),
  'billing.addon.renewed': define(
    'A new period of an add-on started.',
    Type.Object({ ...AddOn.properties, periodStart: text, periodEnd: text }),
    {
      addon: 'sms',
      tierId: 'growth',
      periodStart: '2027-01-31T09:00:00.000Z',
      periodEnd: '2027-02-28T09:00:00.000Z',
    },
  ),
  'billing.addon.past_due': define('A payment for an add-on is overdue or failed.', AddOn, {
    addon: 'sms',
    tierId: 'growth',
  }),
  'billing.addon.payment_received': define(
    'A payment for an add-on was received. `amount` in minor units.',
    Type.Object({ ...AddOn.properties, reference: text, amount: Type.Integer(), currency: text }),
    { addon: 'sms', tierId: 'growth', reference: statementId, amount: 4_900, currency: 'USD' },
  ),
  'billing.addon.statement_issued': define(
    'The statement of a period of an add-on was created. `total` in minor units.',
    Type.Object({ ...AddOn.properties, statementId: text, total: Type.Integer(), currency: text }),
    { addon: 'sms', tierId: 'growth', statementId, total: 5_140, currency: 'USD' },
  ),
  'sms.limit.warning': define(
    '50, 80 or 100 percent of the segments of a period are used; one event for each.',
    Type.Object({
      percent: Type.Integer(),
      used: Type.Integer(),
      allowed: Type.Integer(),
      plan: text,
      periodEnd: text,
    }),
    { percent: 80, used: 4_000, allowed: 5_000, plan: 'growth', periodEnd: '2027-01-31T09:00:00.000Z' },
  ),
  'sms.guard.tripped': define(
    'Text messages look like traffic pumping and are refused. `prefix`: the block of numbers, or null for all.',
    Type.Object({ rule: text, prefix: Type.Union([text, Type.Null()]), detail: text }),
    { rule: 'conversion', prefix: '+49151123', detail: '2 of 40 codes were used' },
  ),
  'sms.guard.updated': define(
    'The rules against SMS pumping were changed.',
    Type.Object({ changed: Type.Array(text) }),
    { changed: ['countries'] },
  ),
  'sms.guard.unblocked': define('A block of numbers was unblocked.', Type.Object({ prefix: text }), {
    prefix: '+49151123',
  }),
};

declare module '#platform/event.ts' {
  interface Events extends EventData<typeof events> {}
}
