/**
 * Projects have status pages of their own. `environment` becomes the key of the page: those of projects have the project in
 * it, so earlier versions, which ask for `test` and `production`, neither see nor change them (docs/decisions/0290).
 */
export const up = `
alter table status_boards
  add column workspace_id text not null default '',
  add column slug text,
  add column published boolean not null default true;
-- Earlier versions: they write no slug.
create unique index status_boards_slug on status_boards (slug) where slug is not null;
alter table status_groups add column workspace_id text not null default '';
alter table status_components add column workspace_id text not null default '';
alter table status_incidents add column workspace_id text not null default '';
alter table status_updates add column workspace_id text not null default '';
alter table status_maintenances add column workspace_id text not null default '';
alter table status_templates add column workspace_id text not null default '';
alter table status_subscribers add column workspace_id text not null default '';
alter table status_codes add column workspace_id text not null default '';
alter table status_notices add column workspace_id text not null default '';
alter table status_days add column workspace_id text not null default '';
-- Earlier versions: they write their two environments only, and name no such constraint.
alter table status_boards drop constraint status_boards_environment_check;
-- Earlier versions: they write their two environments only, and name no such constraint.
alter table status_templates drop constraint status_templates_environment_check;
`;
