/** Keys for tags that must stay the same wherever a workspace is. A workspace without a row uses the data keys of its installation. */
export const up = `
create table workspace_tag_keys (
  workspace_id text primary key,
  keys_sealed text not null
);
`;
