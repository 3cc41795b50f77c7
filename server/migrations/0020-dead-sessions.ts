/** Sessions are deleted some time after their end; indexes let the removal of a user find their sessions and challenges. */
export const up = `
create index sessions_expired on sessions (expires_at);
-- The looked-up column comes first. With the tenant first, a planner without statistics would also use these indexes for look-ups by
-- primary key, and scan the whole tenant.
create index scope_entries_of_session on scope_entries (session_id, workspace_id, environment);
create index mfa_challenges_of_user on mfa_challenges (user_id, workspace_id, environment);
`;
