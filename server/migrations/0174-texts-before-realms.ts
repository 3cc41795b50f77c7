/**
 * The index of search texts has the text before the realm now. PostgreSQL reads the lists of an index in the order of its columns,
 * and reads on in a list only where those before agree. So it reads the list of a realm, which may be long, only for matches.
 */
export const up = `
create index concurrently users_texts on users using gin (search gin_trgm_ops, (workspace_id || ' ' || environment))
  with (gin_pending_list_limit = 2048);
-- Earlier versions: their function users_matching, which this one no longer calls, is served by the new index.
drop index concurrently if exists users_search;
`;

export const concurrently = true;
