import { execFileSync } from 'node:child_process';
import { copyFile, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';

type Copy = {
  /** The data folder of the server. */
  from: string;
  to: string;
  /** Files to write beside the copied ones, or in place of them. */
  files: Record<string, string>;
};

/**
 * Copies the files of a running server: a low-level base backup (PostgreSQL §25.3.3). The copy belongs to the user that the
 * server runs as.
 */
export async function baseBackup(url: string, { from, to, files }: Copy): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("select pg_backup_start('test', fast => true)");
    await copyData(from, to);
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop()');
    const written = { backup_label: rows[0]?.labelfile ?? '', ...files };
    await Promise.all(Object.entries(written).map(([name, text]) => writeFile(join(to, name), text)));
  } finally {
    await client.end();
  }
  execFileSync('chown', ['-R', '--reference', from, to]);
}

/** Folders whose content a copy leaves out (PostgreSQL §25.3.3.3); Citus keeps results of running statements in the last. */
const LEFT_OUT =
  /^(?:pg_wal|pg_replslot|pg_dynshmem|pg_notify|pg_serial|pg_snapshots|pg_stat_tmp|pg_subtrans|pgsql_job_cache)$/;
const OF_THE_SERVER = /^(?:postmaster\.(?:pid|opts)|pg_internal\.init.*|pgsql_tmp.*|\.s\.PGSQL\..*)$/;

/** Copies the files of a running server, which may remove some meanwhile. */
async function copyData(from: string, to: string): Promise<void> {
  await mkdir(to, { mode: 0o700 });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (OF_THE_SERVER.test(entry.name)) continue;
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    // biome-ignore lint/performance/noAwaitInLoops: one file after the other
    if (LEFT_OUT.test(entry.name)) await mkdir(target, { mode: 0o700 });
    else if (entry.isDirectory()) await copyData(source, target);
    else await copyFile(source, target).catch(unlessGone);
  }
}

function unlessGone(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
