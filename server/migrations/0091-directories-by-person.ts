/** What directories say about a person is exported and erased with the account. */
export const up = `
create index scim_users_of_user on scim_users (workspace_id, environment, user_id);
create index scim_log_refused_names on scim_log (workspace_id, environment, lower(name)) where user_id is null;
`;
