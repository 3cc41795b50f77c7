import { appendFile, open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import {
  applySteps,
  exportFolder,
  type Issued,
  kindsNamed,
  makePlan,
  nameOf,
  type Plan,
  readFolder,
  shownPlan,
  worldOf,
} from '#configuration';
import { environmentVariables } from '#platform/config.ts';
import type { Values } from '#platform/config-reader.ts';
import { StartError } from '#platform/start-error.ts';
import { type Access, accessFrom, targetFor } from './configuration-client.ts';
import { failing } from './failing.ts';

/** The command-line options that are not settings. */
export type ConfigurationOptions = {
  credentials?: string;
  environment?: string;
  only?: string;
  prune?: true;
  setSecrets?: true;
  secretsTo?: string;
  yes?: true;
  json?: true;
};

/** The exit status of a plan with changes. */
const CHANGES = 2;

type Opened = { access: Access; world: ReturnType<typeof worldOf>; folder: string };

/** Writes the configuration of a project environment to a folder. */
export async function exportConfiguration(overrides: Values, folder: string, options: ConfigurationOptions) {
  await failing(overrides, async () => {
    const { world, access } = await opened(folder, options);
    const { files, left } = await exportFolder(world, resolve(folder), onlyKinds(options));
    if (options.json) process.stdout.write(`${JSON.stringify({ files, notExported: left })}\n`);
    else {
      for (const { kind, reason } of left) process.stdout.write(`Not exported: ${kind}, because ${reason}\n`);
      process.stdout.write(`Wrote ${files.length} files of the ${access.environment} environment to ${folder}.\n`);
    }
  });
}

/** Shows what would change. The exit status is 0 without changes, 2 with changes, and 1 if that is not known. */
export async function planConfiguration(overrides: Values, folder: string, options: ConfigurationOptions) {
  await failing(overrides, async () => {
    const plan = await planned(await opened(folder, options), options);
    print(plan, options);
    process.exitCode = plan.unread.length > 0 ? 1 : plan.steps.length > 0 ? CHANGES : 0;
  });
}

/** Shows what changes, asks, and makes the changes. */
export async function applyConfiguration(overrides: Values, folder: string, options: ConfigurationOptions) {
  await failing(overrides, async () => {
    const target = await opened(folder, options);
    const plan = await planned(target, options);
    print(plan, options);
    requireWhole(plan, options);
    if (plan.steps.length === 0) return;
    if (options.secretsTo !== undefined) await openForSecrets(options.secretsTo);
    if (!options.yes && !(await confirmed(target.access)))
      throw new StartError('Nothing was changed. Apply with --yes where nobody can confirm.');
    const outcome = await applySteps(target.world, plan.steps, {
      sources: sourcesOf(target.folder),
      setSecrets: options.setSecrets === true,
      onIssued: (issued) => keepIssued(issued, options.secretsTo),
      onDone: (step) => process.stderr.write(`done  ${step.action} ${nameOf(step.kind, step.key)}\n`),
    });
    const { failed, left } = outcome;
    for (const step of left) process.stderr.write(`left  ${step.action} ${nameOf(step.kind, step.key)}\n`);
    if (failed)
      throw new StartError(
        `Stopped at ${failed.step.action} ${nameOf(failed.step.kind, failed.step.key)}: ${failed.reason}\n${outcome.done.length} changes are made, ${left.length + 1} are not. Apply again when the cause is removed.`,
      );
    await requireConverged(target, options);
  });
}

async function opened(folder: string, options: ConfigurationOptions): Promise<Opened> {
  const access = await accessFrom(environmentVariables(), options);
  return { access, world: worldOf(targetFor(access)), folder: resolve(folder) };
}

const sourcesOf = (folder: string) => ({ folder, environment: environmentVariables() });

/** @throws StartError with the faults of the files */
async function planned(
  { folder, world }: Opened,
  options: ConfigurationOptions,
  setSecrets = options.setSecrets === true,
): Promise<Plan> {
  const sources = sourcesOf(folder);
  const only = onlyKinds(options);
  const wanted = await readFolder(sources);
  const chosen = wanted.filter(({ kind }) => only?.includes(kind) !== false);
  if (chosen.length === 0) throw new StartError(`${folder} has no files of configuration.`);
  const flags = { prune: options.prune === true, setSecrets };
  world.directory.forget();
  const plan = await makePlan(world, chosen, { options: flags, sources });
  if (plan.faults.length > 0) throw new StartError(plan.faults.join('\n'));
  return plan;
}

/** @throws StartError for a kind that does not exist */
function onlyKinds({ only }: ConfigurationOptions) {
  if (only === undefined) return undefined;
  const { known, unknown } = kindsNamed(only.split(',').map((name) => name.trim()));
  if (unknown.length > 0) throw new StartError(`There is no kind ${unknown.join(', ')}.`);
  return known;
}

function print(plan: Plan, { json }: ConfigurationOptions): void {
  process.stdout.write(shownPlan(plan, json === true));
}

/** @throws StartError if a part of the plan is not known, or could not be finished */
function requireWhole({ unread, missing, steps }: Plan, { secretsTo }: ConfigurationOptions): void {
  if (unread.length > 0)
    throw new StartError(
      `Nothing was changed, because ${unread.map(({ kind }) => kind.name).join(', ')} could not be compared. Give the client the permissions, or name the other kinds with --only.`,
    );
  if (missing.length > 0) throw new StartError('Nothing was changed, because secrets have no value.');
  const issuing = steps.find((step) => step.action === 'create' && step.kind.issued?.by(step.wanted.fields));
  if (issuing && secretsTo === undefined)
    throw new StartError(
      `Nothing was changed, because ${nameOf(issuing.kind, issuing.key)} gets a secret that is shown once. Name a file for it with --secrets-to.`,
    );
}

async function confirmed({ environment, projectId }: Access): Promise<boolean> {
  if (!process.stdin.isTTY) return false;
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const typed = await asking.question(
      `Apply to the ${environment} environment of ${projectId}? Type "${environment}": `,
    );
    return typed.trim() === environment;
  } finally {
    asking.close();
  }
}

/**
 * Proves before the first change that secrets can be kept.
 * @throws StartError
 */
async function openForSecrets(file: string): Promise<void> {
  try {
    const opened = await open(file, 'a', 0o600);
    const { mode } = await opened.stat().finally(() => opened.close());
    if ((mode & 0o077) === 0 || process.platform === 'win32') return;
  } catch (error) {
    throw new StartError(`Nothing was changed, because ${file} cannot be written (${String(Object(error).code)}).`);
  }
  throw new StartError(`Nothing was changed, because others may read ${file}. Run chmod 600, or name a new file.`);
}

/** Appends to a file that only its owner can read. */
async function keepIssued(issued: Issued, file: string | undefined): Promise<void> {
  if (file !== undefined) await appendFile(file, `${JSON.stringify(issued)}\n`, { mode: 0o600 });
  else process.stderr.write(`secret of ${issued.kind} ${issued.key}: ${issued.value}\n`);
}

/** @throws StartError if the project is still not as the files say */
async function requireConverged(target: Opened, options: ConfigurationOptions): Promise<void> {
  const after = await planned(target, options, false);
  if (after.steps.length === 0) return;
  throw new StartError(`All changes are made, but this is still different:\n${shownPlan(after, false)}`);
}
