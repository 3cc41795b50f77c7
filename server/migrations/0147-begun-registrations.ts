/** Registrations with an address that are not finished, so that a person who asks for several codes is counted once. */
export const up = `
create table begun_registrations (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  address_hash bytea not null,
  begun_at timestamptz not null,
  user_id text,
  primary key (workspace_id, project_id, environment, address_hash)
);
create index begun_registrations_of_user on begun_registrations (workspace_id, environment, user_id) where user_id is not null;
create index begun_registrations_old on begun_registrations (begun_at);
`;
