/**
 * The grant types of an application and the lifetimes of its tokens; disabling an application ends its tokens for good.
 */
export const up = `
alter table applications
  add column grants text[],
  add column access_token_seconds integer,
  add column refresh_token_seconds integer,
  -- Tokens of people that were issued to it up to this instant are invalid.
  add column sign_ins_ended_at timestamptz;
update applications set grants = case kind
  when 'management' then array['client_credentials']
  when 'device' then array['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token']
  else array['authorization_code', 'refresh_token'] end;
alter table applications alter column grants set not null;
`;
