import { createInterface } from 'node:readline/promises';
import { issuersOfProviders } from '#identity-providers';
import { receiveImport, reportImport } from '#imports';
import { lockRoles } from '#members';
import {
  kinds,
  type MappingReport,
  openSource,
  reportText,
  rowOf,
  type Source,
  startReport,
  type Target,
} from '#other-systems';
import { type Ctx, transaction } from '#platform/ctx.ts';
import { StartError } from '#platform/start-error.ts';
import type { Overrides } from './installation.ts';
import { faultLine, inProject, MAX_SHOWN, type MemberOptions, processImport, sizeOf, summary } from './members.ts';
import { progressFor } from './progress.ts';

export type TransferOptions = MemberOptions & {
  from?: string;
  reportOnly?: true;
  yes?: true;
  provider?: string[];
  role?: string[];
};

/** Roles that every project has. Those of the same name elsewhere meant something else. */
const BUILT_IN = new Set(['owner', 'admin', 'viewer']);

/** Imports the people of another system, after a report of what would be imported. */
export async function importFrom(
  overrides: Overrides,
  system: string,
  files: readonly string[],
  options: TransferOptions,
): Promise<void> {
  const check = async () => {
    namesIn(options.provider);
    namesIn(options.role);
    await Promise.all(files.map(sizeOf));
    if (!kinds.has(system))
      throw new StartError(`There is no system "${system}"; expected ${[...kinds.keys()].join(', ')}.`);
  };
  const work = async (ctx: Ctx) => {
    const source = await openSource(system, files);
    const { report, target } = await survey(ctx, source, options, overrides);
    if (!options.json) process.stdout.write(reportText(source.kind.name, report));
    const end = { report, import: null };
    if (options.reportOnly) return print(end, options);
    if (!(await isAgreed(report, options))) return print(end, options, 'Nothing was imported.\n');
    await carryOut(ctx, { source, report, target }, options, overrides);
  };
  await inProject(overrides, options, { check, work });
}

function print(end: object, { json }: TransferOptions, text = ''): void {
  process.stdout.write(json ? `${JSON.stringify(end)}\n` : text);
}

/**
 * Reads `THEIRS=OURS`.
 * @throws StartError
 */
function namesIn(options: readonly string[] = []): Map<string, string> {
  return new Map(
    options.map((option) => {
      const at = option.lastIndexOf('=');
      if (at < 1 || at === option.length - 1) throw new StartError(`"${option}" is not in the form THEIRS=OURS.`);
      return [option.slice(0, at), option.slice(at + 1)];
    }),
  );
}

/** Reads all people, and writes nothing. */
async function survey(
  ctx: Ctx,
  source: Source,
  options: TransferOptions,
  overrides: Overrides,
): Promise<{ report: MappingReport; target: Target }> {
  const target = {
    providers: await issuersOfProviders(ctx),
    providerNames: namesIn(options.provider),
    roles: new Map<string, string>(),
  };
  const report = startReport();
  const reading = progressFor(overrides)('Reading bytes', source.bytes);
  for await (const person of source.people((bytes) => reading.advance(bytes)))
    if ('skipped' in person) report.skip(person.skipped);
    else report.add(person, rowOf(person, source.kind, target));
  reading.end();
  const roles = await knownRoles(ctx, report.roles(), namesIn(options.role));
  return { report: report.end(roles), target: { ...target, roles } };
}

/**
 * The roles here that people get: those that the caller names, and those of the same name that the project made itself.
 * @throws StartError for a role that does not exist
 */
async function knownRoles(
  ctx: Ctx,
  theirs: readonly string[],
  named: ReadonlyMap<string, string>,
): Promise<Map<string, string>> {
  const same = theirs.filter((role) => !(named.has(role) || BUILT_IN.has(role)));
  const found = await transaction(ctx, (tx) => lockRoles(tx, [...new Set([...same, ...named.values()])], 'skip'));
  const keys = new Set(found.map(({ key }) => key));
  for (const key of named.values())
    if (!keys.has(key)) throw new StartError(`There is no role "${key}" in the project.`);
  return new Map([...named, ...same.filter((role) => keys.has(role)).map((role) => [role, role] as const)]);
}

/** @throws StartError where nobody can be asked */
async function isAgreed({ people }: MappingReport, { yes, dryRun }: TransferOptions): Promise<boolean> {
  if (people === 0) return false;
  if (yes || dryRun) return true;
  if (!process.stdin.isTTY) throw new StartError('Read the report, then add --yes to import these people.');
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  const response = await asking.question(`Import ${people} people? [y/N] `);
  asking.close();
  return /^y(?:es)?$/i.test(response.trim());
}

type Surveyed = { source: Source; report: MappingReport; target: Target };

async function carryOut(
  ctx: Ctx,
  { source, report, target }: Surveyed,
  options: TransferOptions,
  overrides: Overrides,
): Promise<void> {
  const showProgress = progressFor(overrides);
  const storing = showProgress('Storing people', report.people);
  const rows = rowsOf(source, target, () => storing.advance(1));
  const { id, rows: count } = await receiveImport(ctx, rows, { format: 'ndjson', dryRun: options.dryRun ?? false });
  storing.end();
  const done = await processImport(ctx, { id, rows: count }, showProgress);
  const { report: faults } = await reportImport(ctx, id, { limit: MAX_SHOWN, outcome: 'failed' });
  print({ report, import: { ...done, report: faults } }, options, `${summary(done)}${faults.map(faultLine).join('')}`);
  if (done.failed > 0) process.exitCode = 1;
}

async function* rowsOf(source: Source, target: Target, advance: () => void): AsyncGenerator<Buffer> {
  for await (const person of source.people(() => undefined)) {
    const transferred = 'skipped' in person ? null : rowOf(person, source.kind, target);
    if (!transferred?.read) continue;
    advance();
    yield Buffer.from(`${JSON.stringify(transferred.row)}\n`);
  }
}
