/** Which claims the ID tokens of an application carry. Existing applications keep theirs, because their software may read them. */
export const up = `
alter table applications
  add column id_token_claims text not null default 'requested' check (id_token_claims in ('requested', 'scopes'));
update applications set id_token_claims = 'scopes';
`;
