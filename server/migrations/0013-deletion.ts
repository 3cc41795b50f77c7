/** Deletion of projects and workspaces: when the removal is due, and whether it has started. */
export const up = `
-- Set: closed; it can be restored until that day.
alter table workspaces add column delete_at timestamptz, add column removal_began_at timestamptz;
alter table projects add column delete_at timestamptz, add column removal_began_at timestamptz;

create index oidc_records_of_project on oidc_records (project_id) where project_id is not null;

-- Only the removal of a project deletes entries of the ledger.
create or replace function refuse_ledger_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and (
    exists (select from projects where workspace_id = old.workspace_id and id = old.project_id and removal_began_at is not null)
    or exists (select from workspaces where id = old.workspace_id and removal_began_at is not null))
  then return old; end if;
  raise exception 'the ledger is append-only';
end $$;
`;
