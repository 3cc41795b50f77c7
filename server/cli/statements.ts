import { markPaid, unpaidStatements } from '#billing';
import { Problem } from '#platform/problem.ts';
import { StartError } from '#platform/start-error.ts';
import type { System } from '#platform/system.ts';
import { failing } from './failing.ts';
import { type Overrides, withInstallation } from './installation.ts';
import { printTable } from './table.ts';

/** Lists the statements to be paid by hand, earliest due date first. */
export async function listStatements(overrides: Overrides, { json }: { json?: true }): Promise<void> {
  await failing(overrides, async () => {
    const statements = await withInstallation(overrides, unpaidStatements);
    if (json) {
      process.stdout.write(`${JSON.stringify({ statements }, null, 2)}\n`);
      return;
    }
    const rows = statements.map((statement) => [
      statement.id,
      statement.workspaceName,
      statement.projectName,
      `${statement.periodStart.slice(0, 10)} – ${statement.periodEnd.slice(0, 10)}`,
      money(statement),
      statement.dueAt.slice(0, 10),
    ]);
    printTable(['statement', 'workspace', 'project', 'period', 'total', 'due'], rows);
  });
}

/** An amount with the decimal places of its currency. */
function money({ total, currency }: { total: number; currency: string }): string {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency });
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2;
  const text = String(total).padStart(digits + 1, '0');
  return `${digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`} ${currency}`;
}

/** Marks a statement as paid; idempotent. */
export async function payStatement(overrides: Overrides, id: string, { json }: { json?: true }): Promise<void> {
  await failing(overrides, async () => {
    await withInstallation(overrides, (system) => pay(system, id));
    process.stdout.write(json ? `${JSON.stringify({ id, paid: true })}\n` : `${id} is paid.\n`);
  });
}

/** @throws StartError for the id of no statement that is paid by hand */
async function pay(system: System, id: string): Promise<void> {
  await markPaid(system, id).catch((error: unknown) => {
    if (!(error instanceof Problem && error.code === 'NOT_FOUND')) throw error;
    throw new StartError(
      `There is no unpaid statement "${id}" that is paid manually. "latchkey statements list" shows those that are.`,
    );
  });
}
