/** Who blocked a member: a directory unblocks only members that it blocked. */
export const up = `
alter table members add column blocked_by_directory boolean not null default false;
`;
