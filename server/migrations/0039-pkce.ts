/** Whether an application must use PKCE. The running version reads no such column and keeps requiring it. */
export const up = `
-- Earlier versions: every application they write requires PKCE.
alter table applications
  add column pkce text not null default 'required' check (pkce in ('required', 'optional')),
  add constraint applications_pkce_needed check (pkce = 'required' or (kind = 'web' and profile = 'oauth'));
`;
