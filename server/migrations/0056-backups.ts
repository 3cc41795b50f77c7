/** What is known about backups: those that are kept, and attempts that failed. It belongs to the whole installation. */
export const up = `
create table backups (
  name text primary key,
  started_at timestamptz not null,
  finished_at timestamptz not null,
  bytes bigint,
  row_count bigint,
  error text,
  verified_at timestamptz,
  verify_error text
);
`;
