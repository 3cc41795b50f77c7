/** Sessions are forgotten some time after their end; whoever goes takes sessions and challenges along without a search for them. */
export const up = `
create index sessions_expired on sessions (expires_at);
create index scope_entries_of_session on scope_entries (workspace_id, environment, session_id);
create index mfa_challenges_of_user on mfa_challenges (workspace_id, environment, user_id);
`;
