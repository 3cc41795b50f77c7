/** A session may be in organizations of a project: an entry for each, beside that of the project. */
export const up = `
alter table scope_entries add column organization_id text;
alter table scope_entries add column version integer not null default 0;
`;
