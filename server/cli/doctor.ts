import { styleText } from 'node:util';
import { ConfigError, loadConfig } from '#platform/config.ts';
import { connectAlone } from '#platform/connections.ts';
import { checkAddresses } from './doctor-addresses.ts';
import { checkDatabase } from './doctor-database.ts';
import { checkMessages } from './doctor-messages.ts';
import { checkUpgrade } from './doctor-upgrade.ts';
import { failing } from './failing.ts';
import { type Overrides, withDatabase } from './installation.ts';

/** The result of a check, with a remedy if it is not ok. */
export type Finding = { check: string; state: 'ok' | 'warning' | 'failed'; found: string; remedy?: string };

/**
 * Checks the installation and suggests remedies. Exits with status 1 if a check failed; warnings do not count. Changes
 * nothing.
 */
export async function doctor(overrides: Overrides, { json }: { json?: true }): Promise<void> {
  await failing(overrides, () => report(examine(overrides), json));
}

/** The findings of {@link doctor} about an upgrade to this version. */
export async function upgradeCheck(overrides: Overrides, { json }: { json?: true }): Promise<void> {
  await failing(overrides, () =>
    withDatabase(overrides, async ({ databaseUrl }) => {
      const client = await connectAlone(databaseUrl, { name: 'latchkey-upgrade-check', readOnly: true });
      await report((await checkUpgrade(client).finally(() => client.end())).findings, json);
    }),
  );
}

async function report(examined: AsyncIterable<Finding> | Finding[], json?: true): Promise<void> {
  const tell = json ? () => undefined : (finding: Finding) => process.stdout.write(told(finding));
  const findings: Finding[] = [];
  for await (const finding of examined) {
    findings.push(finding);
    tell(finding);
  }
  const broken = findings.filter(({ state }) => state === 'failed').length;
  if (json) process.stdout.write(`${JSON.stringify({ healthy: broken === 0, findings }, null, 2)}\n`);
  else
    process.stdout.write(
      broken === 0 ? '\nNothing is broken.\n' : `\n${broken} of ${findings.length} checks failed.\n`,
    );
  process.exitCode = broken === 0 ? 0 : 1;
}

/** Yields the findings as they come in. */
async function* examine(overrides: Overrides): AsyncGenerator<Finding> {
  yield { check: 'Node.js', state: 'ok', found: process.version };
  const config = readConfig(overrides);
  if (!('mode' in config)) return yield* config;
  yield { check: 'configuration', state: 'ok', found: `${config.mode} mode, roles ${config.roles.join(', ')}` };
  yield* await checkDatabase(config);
  yield* await checkAddresses(config);
  yield* await checkMessages(config);
}

function readConfig(overrides: Overrides): ReturnType<typeof loadConfig> | Finding[] {
  try {
    return loadConfig(undefined, overrides);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.faults.map((fault) => ({
      check: 'configuration',
      state: 'failed',
      found: fault,
      remedy: 'See docs/configuration.md.',
    }));
  }
}

const MARKS = {
  ok: styleText('green', '✔'),
  warning: styleText('yellow', '!'),
  failed: styleText('red', '✖'),
};

function told({ check, state, found, remedy }: Finding): string {
  const line = `${MARKS[state]} ${check.padEnd(18)} ${found}\n`;
  return remedy === undefined ? line : `${line}  ${''.padEnd(18)} → ${remedy}\n`;
}
