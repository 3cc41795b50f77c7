/** The status page has a name, a logo, a colour and a link of its own. */
export const up = `
alter table status_boards
  add column name text,
  add column logo_url text,
  add column accent_color text,
  add column support_url text;
`;
