/**
 * The number of checkpoints of each chain, and an entry that lists erasures from before erasures were entries. Null: a
 * chain without a checkpoint. An older process leaves the number unchanged, which only proves less.
 */
export const up = `
alter table audit_heads add column checkpoints bigint;
update audit_heads h set checkpoints = (
  select count(*) from audit_checkpoints c
  where (c.workspace_id, c.project_id, c.environment) = (h.workspace_id, h.project_id, h.environment)
);

insert into events (workspace_id, id, project_id, environment, type, occurred_at, actor, correlation_id, trace_id, data)
select workspace_id, 'evt_01' || substr(md5(random()::text || project_id || environment), 1, 24), project_id, environment,
  'audit.entries_erased', now(), '{"kind":"system","name":"upgrade"}', 'upgrade', md5(random()::text),
  jsonb_build_object('reason', 'before_upgrade',
    'ranges', jsonb_agg(jsonb_build_object('first', first, 'last', last) order by first))
from (
  select workspace_id, project_id, environment, min(sequence) as first, max(sequence) as last
  from (
    select workspace_id, project_id, environment, sequence,
      sequence - row_number() over (partition by workspace_id, project_id, environment order by sequence) as island
    from audit_entries where entry is null
  ) emptied
  group by workspace_id, project_id, environment, island
) ranges
group by workspace_id, project_id, environment;
`;

/** The schema of version 0.1.0, the first that newer versions run beside. */
export const compatibleSince = 38;
