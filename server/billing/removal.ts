import { type Removal, rowsOfProject } from '#platform/removal.ts';

export const billingRemovals: readonly Removal[] = [
  rowsOfProject('sms_payment_reports'),
  rowsOfProject('sms_ledger'),
  rowsOfProject('sms_reservations'),
  rowsOfProject('sms_statements'),
  rowsOfProject('sms_periods'),
  rowsOfProject('sms_subscriptions'),
  rowsOfProject('sms_guards'),
  rowsOfProject('sms_blocks'),
  rowsOfProject('sms_conversions'),
];
