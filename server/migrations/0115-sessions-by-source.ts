/** Indexes that find the sessions of a user from a source, and in a browser, however many the user has. */
export const up = `
create index concurrently sessions_of_source on sessions (workspace_id, environment, user_id, ip, id);
create index concurrently sessions_of_browser on sessions (workspace_id, environment, user_id, user_agent, id);
`;

export const concurrently = true;
