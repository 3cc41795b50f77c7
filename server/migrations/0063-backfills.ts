/** How far the backfills of migrations are. */
export const up = `
create table backfills (
  -- The name of the migration.
  name text primary key,
  -- The primary key of the last row that was read, as text.
  position text[],
  rows_done bigint not null default 0,
  -- What PostgreSQL estimated when the backfill was named.
  rows_total bigint not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  completed_at timestamptz
);
`;
