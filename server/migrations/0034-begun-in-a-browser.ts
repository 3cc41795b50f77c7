/** Which browser a proof was begun in: by the hash of a secret that only it has. Null: not in a browser, or before this. */
export const up = `
alter table flows add column browser_hash bytea;
`;
