import type { Part } from '#platform/part.ts';
import { rowsOfProject } from '#platform/removal.ts';
import { removeOldConversions } from './conversions.ts';
import { events } from './events.ts';
import { reportUsage } from './payment-reports.ts';
import { endPaymentTask, syncPaymentTask } from './payment-sync.task.ts';
import { smsAddOnRoutes } from './sms-addon.admin.ts';
import { smsGuardRoutes } from './sms-guard.admin.ts';
import { findOverdue, issueStatements } from './statements.ts';
import { stripeRoutes } from './stripe.public.ts';
import { removeOldNotices } from './stripe-notices.ts';
import { renewDue } from './subscription-store.ts';

export const part = {
  events,
  routes: {
    admin: [...smsAddOnRoutes, ...smsGuardRoutes],
    callbacks: stripeRoutes,
  },
  permissions: {
    'billing:read': 'See add-ons and usage',
    'billing:write': 'Subscribe to and cancel add-ons',
  },
  removals: [
    rowsOfProject('sms_payment_reports'),
    rowsOfProject('sms_ledger'),
    rowsOfProject('sms_reservations'),
    rowsOfProject('sms_statements'),
    rowsOfProject('sms_periods'),
    rowsOfProject('sms_subscriptions'),
    rowsOfProject('sms_guards'),
    rowsOfProject('sms_blocks'),
    rowsOfProject('sms_conversions'),
  ],
  cleanUps: { removeOldConversions, removeOldNotices },
  sweeps: { renewDue, issueStatements, findOverdue, reportUsage },
  tasks: { sync_payment: syncPaymentTask, end_payment: endPaymentTask },
} satisfies Part;
