/** The metadata of service providers are read again when they are due. */
export const up = `
create index applications_metadata_due on applications (coalesce(saml->'reading'->>'dueAt', ''))
  where saml->>'metadataUrl' is not null;
`;
