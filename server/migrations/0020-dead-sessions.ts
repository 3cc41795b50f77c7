/** Sessions are forgotten some time after their end; whoever goes takes sessions and challenges along without a search for them. */
export const up = `
create index sessions_expired on sessions (expires_at);
-- Led by what is looked for: led by the tenant they would serve every look-up by primary key as well as that, to a planner that knows
-- nothing of the tables yet, and each would walk through all of the tenant.
create index scope_entries_of_session on scope_entries (session_id, workspace_id, environment);
create index mfa_challenges_of_user on mfa_challenges (user_id, workspace_id, environment);
`;
