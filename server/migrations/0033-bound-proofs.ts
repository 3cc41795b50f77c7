/**
 * The purpose and the session of a passkey challenge, and the user of an exchange code or of a sign-in at a provider.
 */
export const up = `
alter table passkey_challenges add column purpose text, add column session_id text;
alter table exchange_codes add column user_id text;
alter table upstream_flows add column user_id text;
create index passkey_challenges_of_user on passkey_challenges (user_id, workspace_id, environment) where user_id is not null;
create index exchange_codes_of_user on exchange_codes (user_id, workspace_id, environment) where user_id is not null;
create index upstream_flows_of_user on upstream_flows (user_id, workspace_id, environment) where user_id is not null;
`;
