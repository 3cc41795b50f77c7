/** Channels of chat services can subscribe to the status. */
export const up = `
-- Earlier versions: they name no such constraint.
alter table status_subscribers drop constraint status_subscribers_channel_check;
-- Earlier versions: it allows more than before. Their worker suspends a channel that it should tell of something.
alter table status_subscribers
  add constraint status_subscribers_channel_check check (channel in ('email', 'webhook', 'slack', 'teams', 'discord'));
`;
