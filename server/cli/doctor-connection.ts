import type pg from 'pg';
import { connectionsNeeded } from '#hosts';
import type { Config } from '#platform/config.ts';
import { exposureOf } from '#platform/database-url.ts';
import {
  faultOfConnections,
  isDirect,
  readConnections,
  requirePreparedStatements,
  requireSession,
} from '#platform/server-fitness.ts';
import type { Finding } from './doctor.ts';
import { explain } from './explain.ts';

type Opened = { databaseUrl: string; config: Config };

/** How this process reaches its database: by which way, over how many connections, and whether they are protected. */
export async function checkConnection(client: pg.Client, { databaseUrl, config }: Opened): Promise<Finding[]> {
  return [
    await checkPooler(client, { databaseUrl, config }),
    await checkNumber(client, config),
    ...[config.databaseUrl, config.databaseDirectUrl].flatMap((url) => (url === null ? [] : [checkProtection(url)])),
  ];
}

async function checkPooler(client: pg.Client, { databaseUrl, config }: Opened): Promise<Finding> {
  const check = 'pooler';
  try {
    await requireSession(client, databaseUrl);
    if (config.databaseDirectUrl === null || config.databaseUrl === null)
      return { check, state: 'ok', found: (await isDirect(client)) ? 'none' : 'in session mode' };
    await requirePreparedStatements(config.databaseUrl);
    return { check, state: 'ok', found: 'for requests; what holds a session takes DATABASE_DIRECT_URL' };
  } catch (error) {
    return { check, state: 'failed', found: 'a pooler is in the way', remedy: explain(error) };
  }
}

async function checkNumber(client: pg.Client, config: Config): Promise<Finding> {
  const check = 'connections';
  const found = await readConnections(client);
  const needed = connectionsNeeded(config);
  const text = `up to ${needed} for this process; ${found.used} of ${found.allowed} are in use`;
  // A running process has its connections already.
  const fault = faultOfConnections(needed, { ...found, used: 0 });
  if (fault !== null) return { check, state: 'failed', found: text, remedy: fault };
  if (found.used < found.allowed * 0.8) return { check, state: 'ok', found: text };
  return {
    check,
    state: 'warning',
    found: text,
    remedy: 'Lower LATCHKEY_DATABASE_POOL of the processes, raise max_connections, or put a pooler in between.',
  };
}

function checkProtection(url: string): Finding {
  const check = 'TLS';
  const found = exposureOf(url);
  if (found === null) return { check, state: 'ok', found: 'nobody on the network between can read or change anything' };
  const remedy = 'Set ?sslmode=verify-full, with &sslrootcert=/path/ca.pem for a certificate authority of your own.';
  return { check, state: 'warning', found, remedy };
}
