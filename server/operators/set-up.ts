import { type Static, Type } from 'typebox';
import { projectOf } from '#environments';
import { checkPolicy, hashPassword, Password } from '#passwords';
import { type Ctx, type TxCtx, transaction } from '#platform/ctx.ts';
import { Email, Name } from '#platform/identifiers.ts';
import { randomSecret } from '#platform/keyring.ts';
import { problem } from '#platform/problem.ts';
import { at } from '#platform/scoped.ts';
import type { System } from '#platform/system.ts';
import { allWorkspaces } from '#tenancy';
import { workspaceScope } from './edge.ts';
import { installationCtx, installationOf } from './installation.ts';
import { amongOperators, createOperator, findOperator, resetOperator } from './operators.ts';
import { addTeamMember, hasOwner, makeOwner } from './team.ts';
import { newProject, newWorkspace } from './workspaces.ts';

export const SetUp = Type.Object(
  {
    token: Type.String({ maxLength: 100 }),
    displayName: Name,
    email: Email,
    password: Password,
    workspace: Name,
    project: Name,
  },
  { additionalProperties: false },
);

const PURPOSE = 'console-set-up';

/**
 * The link that creates the first owner. It is derived from the installation's secret, not stored: every process and
 * every start derives the same link, and it becomes invalid as soon as there is an owner.
 * @returns null if there is an owner
 */
export async function setUpLink(system: System): Promise<string | null> {
  if (await isSetUp(installationCtx(system, PURPOSE))) return null;
  const token = system.keyring.tag(installationOf(system).scope.workspaceId, PURPOSE).toString('base64url');
  return `${system.config.addresses.console}/console/setup?token=${token}`;
}

/** True as soon as the installation has an owner. */
export function isSetUp(ctx: Ctx | TxCtx): Promise<boolean> {
  return hasOwner(ctx, installationOf(ctx.system).scope.workspaceId);
}

/** @throws Problem INVALID_TOKEN */
export function requireSetUpToken(system: System, token: string): void {
  const { workspaceId } = installationOf(system).scope;
  if (!system.keyring.checkTag(workspaceId, PURPOSE, Buffer.from(token, 'base64url'))) throw problem('INVALID_TOKEN');
}

/**
 * Creates the first owner, and a first workspace with a project.
 * @throws Problem INVALID_TOKEN for a wrong link or once there is an owner, WEAK_PASSWORD
 */
export async function setUp(ctx: Ctx, { token, ...wanted }: Static<typeof SetUp>): Promise<void> {
  requireSetUpToken(ctx.system, token);
  if (await isSetUp(ctx)) throw problem('INVALID_TOKEN');
  const passwordHash = await newPasswordHash(ctx, wanted.password, [wanted.email, wanted.displayName]);
  await transaction(ctx, async (tx) => {
    await lockInstallation(tx);
    // If two people open the link at once, the second finds it spent.
    if (await isSetUp(tx)) throw problem('INVALID_TOKEN');
    const userId = await createOperator(tx, { ...wanted, passwordHash });
    await addTeamMember(amongOperators(tx), userId, 'owner');
    const workspaceId = await newWorkspace(tx, wanted.workspace, userId);
    await newProject(at(tx, workspaceScope(workspaceId)), wanted.project);
  });
}

async function lockInstallation(tx: TxCtx): Promise<void> {
  await tx.db.selectFrom('console_installation').select('workspace_id').forUpdate().execute();
}

/** @throws Problem WEAK_PASSWORD */
export async function newPasswordHash(ctx: Ctx, password: string, about: readonly string[]): Promise<string> {
  const { settings } = await projectOf(ctx.system, installationOf(ctx.system).scope);
  await checkPolicy(ctx, settings, password, about);
  return hashPassword(ctx, password);
}

/**
 * Makes a user an owner of the installation and of every workspace without an owner. Lets the administrator of the
 * machine in, even if the last owner is gone.
 * @returns their new password; their sessions are ended
 */
export async function createOwner(system: System, email: string): Promise<string> {
  const password = randomSecret().slice(0, 20);
  const passwordHash = await hashPassword({ system }, password);
  await transaction(installationCtx(system, 'create-owner'), async (tx) => {
    await lockInstallation(tx);
    const known = await findOperator(tx, email);
    if (known) await resetOperator(tx, known, passwordHash);
    const userId = known ?? (await createOperator(tx, { email, passwordHash }));
    await makeOwner(amongOperators(tx), userId);
    for (const workspaceId of await allWorkspaces(tx.db)) {
      // biome-ignore lint/performance/noAwaitInLoops: one connection, one statement after the other
      if (!(await hasOwner(tx, workspaceId))) await makeOwner(at(tx, workspaceScope(workspaceId)), userId);
    }
  });
  return password;
}
