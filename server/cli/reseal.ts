import { reseal } from '#keys';
import { failing } from './failing.ts';
import { type Overrides, withInstallation } from './installation.ts';
import { progressFor } from './progress.ts';

type Options = { newKey?: true; json?: true };

/** Moves all data to the first secret of LATCHKEY_SECRET, so that the others can be removed. */
export async function resealAll(overrides: Overrides, { newKey, json }: Options): Promise<void> {
  await failing(overrides, () =>
    withInstallation(overrides, async (system) => {
      const older = system.keyring.secretIds.slice(1);
      const done = await reseal(system, {
        newKey: newKey === true,
        showProgress: (total) => progressFor(overrides)('Rows sealed again', total),
      });
      process.stdout.write(json ? `${JSON.stringify({ ...done, removable: older }, null, 2)}\n` : told(done, older));
    }),
  );
}

function told(
  { secretId, wrapped, newKeyId, rows, unreadable }: Awaited<ReturnType<typeof reseal>>,
  older: readonly string[],
): string {
  const lines = [
    `The secret ${secretId} encrypts all data keys${wrapped > 0 ? `: ${wrapped} of them since now` : ''}.`,
    newKeyId !== null && `The new data key ${newKeyId} replaced the one before.`,
    rows > 0 && `${rows} rows were sealed again.`,
    unreadable.length > 0 &&
      `${unreadable.length} values are left as they are, because no key opens them:\n  ${unreadable.join('\n  ')}`,
    older.length > 0 &&
      `The other secrets of LATCHKEY_SECRET (${older.join(', ')}) no longer open anything. Remove them, and start each process again.`,
  ];
  return `${lines.filter((line) => line !== false).join('\n')}\n`;
}
