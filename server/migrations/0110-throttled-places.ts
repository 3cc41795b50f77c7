/** The sources from which attempts at an account are refused, so that administrators see them and can let them in again. */
export const up = `
create table throttled_places (
  workspace_id text not null,
  environment text not null,
  user_id text not null,
  key text not null,
  way text not null,
  source text not null,
  expires_at timestamptz not null,
  primary key (workspace_id, environment, user_id, key)
);
create index throttled_places_expired on throttled_places (expires_at);
`;
