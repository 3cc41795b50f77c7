/** The private keys with which Latchkey authenticates at identity providers (private_key_jwt). */
export const up = `
alter table organization_connections add column keys_sealed text;
`;
