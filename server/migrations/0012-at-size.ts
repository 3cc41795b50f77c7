/** For projects with a million members: the number of members, counted as they join and leave. */
export const up = `
-- A total, not a figure of a day. Events are counted when they are numbered.
insert into daily_figures (workspace_id, project_id, environment, figure, day, count)
select workspace_id, project_id, environment, 'members', '-infinity', sum(n) from (
  select workspace_id, project_id, environment, 1 as n from members
  union all
  select workspace_id, project_id, environment, case type when 'membership.created' then -1 else 1 end from events
  where sequence is null and not example and type in ('membership.created', 'membership.deleted')
) counted
group by workspace_id, project_id, environment;
`;
