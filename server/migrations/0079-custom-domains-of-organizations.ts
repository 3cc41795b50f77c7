/** Custom domains of organizations. */
export const up = `
-- No foreign key: the address of an organization that was deleted stays closed until its domain is removed.
alter table domains add column organization_id text;

-- Each organization claims a host for itself.
-- Earlier versions: they name it in no "on conflict"; the next statement makes it again.
drop index domains_claim;
-- Earlier versions: they write no organization, for which it refuses what the former index refused.
create unique index domains_claim on domains (workspace_id, project_id, environment, host, (coalesce(organization_id, '')));
create index domains_of_organization on domains (workspace_id, project_id, environment, organization_id, id);
`;
