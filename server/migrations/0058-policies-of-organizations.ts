/** Organizations have policies of their own; sessions know in which ways their person signed in. */
export const up = `
alter table organizations add column policy jsonb not null default '{}';
alter table sessions add column sign_in_methods text[] not null default '{}';
alter table mfa_challenges add column sign_in_methods text[] not null default '{}';
`;
