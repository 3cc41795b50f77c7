/** A subscriber is suspended after messages that did not reach it, and the team sees why. */
export const up = `
alter table status_subscribers add column unreached integer not null default 0;
alter table status_subscribers add column unreached_since timestamptz;
alter table status_subscribers add column suspended_reason text;
alter table status_subscribers add column suspended_at timestamptz;
`;
