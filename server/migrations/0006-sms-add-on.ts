/**
 * The SMS add-on: subscriptions, metering, statements, protection against traffic pumping, and the states of a text
 * message.
 */
export const up = `
-- One row per project environment that ever subscribed.
create table sms_subscriptions (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  id text not null,
  status text not null check (status in ('active', 'canceling', 'canceled', 'past_due')),
  -- The tier as it was agreed; the operator's changes count from the next period.
  terms jsonb not null,
  next_tier_id text,
  anchor timestamptz not null,
  period_number integer not null,
  period_id text not null,
  period_end timestamptz not null,
  past_due_since timestamptz,
  canceled_at timestamptz,
  payment text not null,
  customer_ref text,
  subscription_ref text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (workspace_id, project_id, environment),
  foreign key (workspace_id, project_id) references projects
);
create index sms_subscriptions_due on sms_subscriptions (period_end) where status <> 'canceled';
create unique index sms_subscriptions_ref on sms_subscriptions (subscription_ref) where subscription_ref is not null;

-- The allowance of one period and its use; parallel sends wait for the lock of this row.
create table sms_periods (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  id text not null,
  subscription_id text not null,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  terms jsonb not null,
  used integer not null default 0,
  reserved integer not null default 0 check (reserved >= 0),
  -- The highest percentage for which a warning was emitted.
  warned integer not null default 0,
  -- The customer that the payment provider bills; null: the statement is paid manually.
  customer_ref text,
  closed_at timestamptz,
  statement_id text,
  primary key (workspace_id, project_id, environment, id)
);
create index sms_periods_unbilled on sms_periods (closed_at) where closed_at is not null and statement_id is null;

-- Segments reserved for a message that no carrier has accepted yet.
create table sms_reservations (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  message_id text not null,
  period_id text not null,
  segments integer not null check (segments > 0),
  country text,
  created_at timestamptz not null,
  primary key (workspace_id, project_id, environment, message_id)
);

-- Every segment and every movement of money, forever. Amounts are integer minor units; charges are positive.
create table sms_ledger (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  id text not null,
  period_id text not null,
  kind text not null check (kind in ('segment', 'fee', 'proration', 'payment')),
  -- The cause; together with \`part\` it makes each entry unique.
  reference text not null,
  part integer not null,
  amount bigint not null,
  currency text not null,
  country text,
  created_at timestamptz not null,
  primary key (workspace_id, project_id, environment, id)
);
create unique index sms_ledger_once on sms_ledger (workspace_id, project_id, environment, kind, reference, part);
create index sms_ledger_of_period on sms_ledger (workspace_id, project_id, environment, period_id, id desc);
create function refuse_ledger_change() returns trigger language plpgsql as $$
begin
  raise exception 'the ledger is append-only';
end $$;
create trigger sms_ledger_append_only before update or delete on sms_ledger for each row execute function refuse_ledger_change();
-- An empty ledger may be emptied: restoring a backup starts so.
create function refuse_ledger_loss() returns trigger language plpgsql as $$
begin
  if exists (select from sms_ledger) then raise exception 'the ledger is append-only'; end if;
  return null;
end $$;
create trigger sms_ledger_keep before truncate on sms_ledger for each statement execute function refuse_ledger_loss();

-- Entries that are not yet reported to the payment provider.
create table sms_payment_reports (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  ledger_id text not null,
  customer_ref text not null,
  due_at timestamptz not null,
  attempts integer not null default 0,
  error text,
  primary key (workspace_id, project_id, environment, ledger_id)
);
create index sms_payment_reports_due on sms_payment_reports (due_at);

create table sms_statements (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  id text not null,
  period_id text not null,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  tier_id text not null,
  segments integer not null,
  fees bigint not null,
  overage bigint not null,
  total bigint not null,
  currency text not null,
  payment text not null check (payment in ('manual', 'stripe')),
  issued_at timestamptz not null,
  due_at timestamptz not null,
  paid_at timestamptz,
  primary key (workspace_id, project_id, environment, id)
);
create unique index sms_statements_of_period on sms_statements (workspace_id, project_id, environment, period_id);
create index sms_statements_unpaid on sms_statements (due_at) where paid_at is null;

-- Processed webhooks of the payment provider, each of which counts once.
create table payment_notices (
  id text primary key,
  received_at timestamptz not null
);

create table sms_guards (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  rules jsonb not null,
  updated_at timestamptz not null,
  primary key (workspace_id, project_id, environment),
  foreign key (workspace_id, project_id) references projects
);

-- Codes sent to a block of numbers, and how many of them were used, by the hour.
create table sms_conversions (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  prefix text not null,
  hour timestamptz not null,
  sent integer not null default 0,
  used integer not null default 0,
  primary key (workspace_id, project_id, environment, prefix, hour)
);
create index sms_conversions_old on sms_conversions (hour);

create table sms_blocks (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  prefix text not null,
  reason text not null,
  sent integer not null,
  used integer not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (workspace_id, project_id, environment, prefix)
);

alter table messages
  drop constraint messages_status_check,
  add constraint messages_status_check
    check (status in ('queued', 'sending', 'sent', 'delivered', 'undelivered', 'failed', 'expired', 'suppressed')),
  add column segments integer,
  -- When a carrier was called: after a crash its response is unknown.
  add column sending_since timestamptz,
  add column delivered_at timestamptz;
create index messages_unsettled on messages (created_at) where channel = 'sms' and status in ('queued', 'sending');
`;
