/** Templates of incidents and maintenances. */
export const up = `
create table status_templates (
  environment text not null check (environment in ('test', 'production')),
  id text not null,
  kind text not null check (kind in ('incident', 'maintenance')),
  name text not null,
  title text not null,
  body text not null,
  severity text check (severity in ('minor', 'major', 'critical')),
  component_ids text[] not null,
  duration_minutes integer,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (environment, id)
);
`;
