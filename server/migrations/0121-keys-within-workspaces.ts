/** Unique indexes that begin with the workspace, beside those that earlier versions name. */
export const up = `
-- Earlier versions: each allows more than the index or the primary key that they know.
create unique index concurrently oidc_records_key on oidc_records (workspace_id, issuer, model, id);
-- Earlier versions: it is as unique as the primary key was.
create unique index concurrently oidc_records_once on oidc_records (issuer, model, id);
-- Earlier versions: it allows more than oidc_records_uid, which stays.
create unique index concurrently oidc_records_uid_of_workspace on oidc_records (workspace_id, issuer, model, uid) where uid is not null;
-- Earlier versions: it allows more than the index that it replaces.
create unique index concurrently oidc_records_user_code_of_workspace on oidc_records (workspace_id, issuer, user_code) where user_code is not null;
create index concurrently oidc_records_by_user_code on oidc_records (issuer, user_code) where user_code is not null;
-- Earlier versions: none names it, and oidc_records_by_user_code has its columns.
drop index concurrently if exists oidc_records_user_code;
-- Earlier versions: it allows more than the primary key.
create unique index concurrently idempotency_keys_key on idempotency_keys (workspace_id, id);
-- Earlier versions: it is as unique as the primary key was.
create unique index concurrently idempotency_keys_once on idempotency_keys (id);
-- Earlier versions: it allows more than the primary key.
create unique index concurrently rate_limits_key on rate_limits (workspace_id, key);
-- Earlier versions: it is as unique as the primary key was.
create unique index concurrently rate_limits_once on rate_limits (key);
-- Earlier versions: it allows more than applications_client_id_key, which stays.
create unique index concurrently applications_client_id on applications (workspace_id, client_id);
-- Earlier versions: it allows more than sms_subscriptions_ref, which stays.
create unique index concurrently sms_subscriptions_ref_of_workspace on sms_subscriptions (workspace_id, subscription_ref)
  where subscription_ref is not null;
create index concurrently sms_subscriptions_by_ref on sms_subscriptions (subscription_ref) where subscription_ref is not null;
-- Earlier versions: it has the columns of team_members_of_user, which stays.
create unique index concurrently team_members_user on team_members (workspace_id, user_id);
`;

export const concurrently = true;
