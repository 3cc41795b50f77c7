/** A status page names the languages that it offers; none means all that there are. */
export const up = `
alter table status_boards
  add column locales text[] not null default '{}',
  add column default_language text not null default 'en';
`;
