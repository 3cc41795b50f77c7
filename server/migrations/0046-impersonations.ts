/** Finds the impersonations of a user, for the account page and when all sessions of the user end. */
export const up = `
create index oidc_records_of_impersonated on oidc_records ((payload->>'accountId'))
  where model = 'Grant' and payload ? 'impersonation';
`;
