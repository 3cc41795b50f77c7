/** Keys that encrypt values at rest, themselves encrypted with LATCHKEY_SECRET. */
export const up = `
create table data_keys (
  -- The oldest has the lowest number.
  number integer primary key,
  id text not null unique,
  wrapped text not null,
  state text not null check (state in ('next', 'active', 'former', 'retired')),
  -- The key is a secret itself: values were encrypted with it before there were data keys.
  from_secret boolean not null,
  created_at timestamptz not null
);
create unique index data_keys_state on data_keys (state) where state in ('next', 'active');
`;
