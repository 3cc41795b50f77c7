/** Why a user is to be erased: who is in no project is kept if they are added to one before. */
export const up = `
alter table users add column erase_without_project boolean not null default false;
`;
