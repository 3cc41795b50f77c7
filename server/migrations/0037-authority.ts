/**
 * Who manages an account, what a project knew of a user it added, and separate permissions for the strongest actions.
 */
export const up = `
-- The project that created the account. Null: unknown, as for accounts without a membership when this was added.
alter table users add column home_project_id text;
update users u set home_project_id = (
  select m.project_id from members m
  where m.workspace_id = u.workspace_id and m.environment = u.environment and m.user_id = u.id
  order by m.created_at, m.id limit 1
);

-- { email, phone, username } as an administrator named them to add a person who had an account. Until that person enters the
-- project, the project sees no more of the account than this. Null: entered, or the project created the account.
alter table members add column known_as jsonb;

update roles set permissions = permissions || array['members:credentials', 'applications:trust']
where built_in and key = 'admin';
`;
