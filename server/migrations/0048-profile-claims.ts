/** The other standard claims of a profile (OpenID Connect Core §5.1). */
export const up = `
alter table users
  add column middle_name text,
  add column nickname text,
  add column gender text,
  add column profile text,
  add column website text;
`;
