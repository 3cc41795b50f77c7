/** Operators with the role `senior_support` may act as members. */
export const up = `
-- Earlier versions: they name no such constraint.
alter table team_members drop constraint team_members_role_check;
-- Earlier versions: it allows more than before.
alter table team_members add constraint team_members_role_check
  check (role in ('owner', 'admin', 'developer', 'billing', 'support', 'senior_support', 'analyst', 'viewer'));
-- Earlier versions: they name no such constraint.
alter table team_invitations drop constraint team_invitations_role_check;
-- Earlier versions: it allows more than before.
alter table team_invitations add constraint team_invitations_role_check
  check (role in ('owner', 'admin', 'developer', 'billing', 'support', 'senior_support', 'analyst', 'viewer'));
-- Earlier versions: none was released with it.
drop index if exists oidc_records_of_impersonated;
`;
