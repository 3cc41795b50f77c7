import type pg from 'pg';

/**
 * Describes the tables of a database as readable SQL in a stable order, the format of `migrations/schema.sql`, so that
 * a reviewer sees how a migration changes the whole schema.
 */
export async function describeSchema(client: pg.Client): Promise<string> {
  const { rows: tables } = await client.query<{ oid: number; name: string }>(
    `select oid::integer, relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by relname`,
  );
  const described: string[] = [];
  for (const { oid, name } of tables) {
    // biome-ignore lint/performance/noAwaitInLoops: one connection
    described.push(await describeTable(client, oid, name));
  }
  return described.join('\n');
}

async function describeTable(client: pg.Client, oid: number, name: string): Promise<string> {
  const { rows: columns } = await client.query<{ line: string }>(
    `select format('%I %s', attname, format_type(atttypid, atttypmod))
         || case when attcollation <> 0 and attcollation <> t.typcollation then ' collate ' || attcollation::regcollation else '' end
         || case when attnotnull then ' not null' else '' end
         || coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '') as line
     from pg_attribute a join pg_type t on t.oid = a.atttypid left join pg_attrdef d on (d.adrelid, d.adnum) = (a.attrelid, a.attnum)
     where attrelid = $1 and attnum > 0 and not attisdropped order by attnum`,
    [oid],
  );
  const { rows: constraints } = await client.query<{ line: string }>(
    `select format('constraint %I %s', conname, pg_get_constraintdef(oid)) as line from pg_constraint
     where conrelid = $1 and contype in ('p', 'u', 'f', 'c') order by contype = 'p' desc, conname`,
    [oid],
  );
  const { rows: indexes } = await client.query<{ line: string }>(
    `select pg_get_indexdef(indexrelid) || ';' as line from pg_index where indrelid = $1
       and not exists (select from pg_constraint where conindid = indexrelid and contype in ('p', 'u')) order by indexrelid::regclass::text`,
    [oid],
  );
  const body = [...columns, ...constraints].map(({ line }) => `  ${line}`).join(',\n');
  return [`create table ${name} (\n${body}\n);`, ...indexes.map(({ line }) => line), ''].join('\n');
}
