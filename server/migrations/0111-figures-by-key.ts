/** Figures per day that are split by a key: the way of a sign-in, the reason of a failure, the month in which people joined. */
export const up = `
create table figures_by_key (
  workspace_id text not null,
  project_id text not null,
  environment text not null,
  figure text not null,
  day date not null,
  key text not null,
  count integer not null,
  primary key (workspace_id, project_id, environment, figure, day, key)
);
`;
