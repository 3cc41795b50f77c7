/** OpenID Connect grants are in organizations, and end with the membership. */
export const up = `
create index oidc_records_of_organization on oidc_records ((payload->>'organizationId'), (payload->>'accountId'))
  where model = 'Grant' and payload ? 'organizationId';
`;
