/**
 * The organization for which an account was made, when the person of a linked account last confirmed it, when a
 * member was given a role, and whether a directory removed a person from its organization.
 */
export const up = `
alter table users add column home_organization_id text;
alter table linked_identities add column proven_at timestamptz;
alter table organization_departures add column by_directory boolean not null default false;
alter table member_roles add column given_at timestamptz not null default now();
`;
