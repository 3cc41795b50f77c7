/** Requests that happen once. */
export const up = `
-- Requests that happen once: a key, what was asked with it, and the answer. One row, written in the request's transaction.
create table idempotency_keys (
  id bytea primary key,
  body_hash bytea not null,
  answer_sealed text,
  expires_at timestamptz not null
);
create index idempotency_keys_expired on idempotency_keys (expires_at);
`;
