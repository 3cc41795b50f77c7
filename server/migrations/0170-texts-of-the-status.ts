/** Phones subscribe to the status, and short links in text messages lead to their subscriptions. */
export const up = `
-- Earlier versions: they name no such constraint.
alter table status_subscribers drop constraint status_subscribers_channel_check;
-- Earlier versions: it allows more than before. Their worker tells phones nothing.
alter table status_subscribers add constraint status_subscribers_channel_check
  check (channel in ('email', 'sms', 'webhook', 'slack', 'teams', 'discord'));
alter table status_subscribers add column link_hash bytea;
-- Earlier versions: they write no such value.
create unique index status_subscribers_link on status_subscribers (link_hash) where link_hash is not null;
`;
