/**
 * The browser in which a proof was started, as the hash of a secret that only it has. Null: not in a browser, or
 * started before this migration.
 */
export const up = `
alter table flows add column browser_hash bytea;
`;
