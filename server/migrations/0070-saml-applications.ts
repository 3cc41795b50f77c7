/** Applications that sign people in by SAML, and the keys that sign for them. */
export const up = `
-- Earlier versions: they find no address for an application of another kind, so they refuse its sign-ins.
alter table applications drop constraint applications_kind_check, add constraint applications_kind_check
  check (kind in ('spa', 'web', 'native', 'management', 'device', 'saml'));
-- The service provider of an application of the kind 'saml', and what it gets.
alter table applications add column saml jsonb;

create table saml_keys (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  id text not null,
  certificate text not null,
  private_sealed text not null,
  -- Of a project and environment, one signs. The others are in the metadata: they will sign, or have signed.
  signs boolean not null,
  created_at timestamptz not null,
  primary key (workspace_id, project_id, environment, id),
  foreign key (workspace_id, project_id) references projects on delete cascade
);
create unique index saml_keys_signing on saml_keys (workspace_id, project_id, environment) where signs;
`;
