/** Primary keys that begin with the workspace. */
export const up = `
-- Earlier versions: oidc_records_once has the columns that they name in "on conflict".
alter table oidc_records drop constraint oidc_records_pkey, add constraint oidc_records_pkey primary key using index oidc_records_key;
-- Earlier versions: idempotency_keys_once has the column that they name in "on conflict".
alter table idempotency_keys drop constraint idempotency_keys_pkey, add constraint idempotency_keys_pkey primary key using index idempotency_keys_key;
-- Earlier versions: rate_limits_once has the column that they name in "on conflict".
alter table rate_limits drop constraint rate_limits_pkey, add constraint rate_limits_pkey primary key using index rate_limits_key;
`;
