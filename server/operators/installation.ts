import { sql } from 'kysely';
import { createApplication, moveApplication } from '#applications';
import { createProject, updateSettings } from '#environments';
import { setUpRoles } from '#members';
import { advisoryLocks } from '#platform/advisory-locks.ts';
import { installationScope, type Scope, systemCtx, type TxCtx, transaction } from '#platform/ctx.ts';
import type { ApplicationId, ProjectId, WorkspaceId } from '#platform/ids.ts';
import { at } from '#platform/scoped.ts';
import { perSystem, type System, type SystemInTx } from '#platform/system.ts';
import { createWorkspace } from '#tenancy';

type ConsoleInstallationTable = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  application_id: ApplicationId;
  client_id: string;
  secret_sealed: string;
  /** The console address for which the application was last configured. */
  console_url: string;
  created_at: Date;
};

declare module '#platform/db.ts' {
  interface Tables {
    console_installation: ConsoleInstallationTable;
  }
}

/** The redirect URI of the console's own sign-in. */
export const CALLBACK_PATH = '/console/v1/sign-in/callback';

/** The built-in workspace whose people are the operators, and the console as its application. */
export type Installation = {
  /** The scope in which operators are users; always production, whichever environment they work in. */
  scope: Scope;
  client: { id: string; secret: string };
};

const installations = perSystem((): { found: Installation | null } => ({ found: null }));

/** The installation, once {@link setUpConsole} has run. */
export function installationOf(system: SystemInTx): Installation {
  const { found } = installations(system);
  if (!found) throw new Error('The console is set up before anything is served.');
  return found;
}

/** A context of the built-in workspace, for changes of operators. */
export function installationCtx(system: System, name: string) {
  return systemCtx(system, installationOf(system).scope, name, name);
}

const SEALED = 'console-client';

/**
 * Creates the built-in workspace if it does not exist, and updates its application's addresses from the configuration.
 */
export async function setUpConsole(system: System): Promise<Installation> {
  const ctx = systemCtx(system, installationScope('production'), 'console-set-up', 'console-set-up');
  const found = await transaction(ctx, async (tx) => {
    await sql`select pg_advisory_xact_lock(${advisoryLocks.consoleSetUp})`.execute(tx.db);
    const row = await tx.db
      .selectFrom('console_installation')
      .selectAll()
      .modifyEnd(sql`/* all workspaces */`)
      .executeTakeFirst();
    return row ? known(tx, row) : make(tx);
  });
  installations(system).found = found;
  return found;
}

function addresses({ config }: SystemInTx) {
  return {
    redirectUris: [`${config.addresses.console}${CALLBACK_PATH}`],
    postLogoutRedirectUris: [`${config.addresses.console}/console/`],
  };
}

async function known(tx: TxCtx, row: ConsoleInstallationTable): Promise<Installation> {
  const scope: Scope = { workspaceId: row.workspace_id, projectId: row.project_id, environment: 'production' };
  const { roles, addresses: configured } = tx.system.config;
  // Processes that do not serve the console may not have its address configured.
  if (roles.includes('console') && row.console_url !== configured.console) {
    await tx.db
      .updateTable('console_installation')
      .set({ console_url: configured.console })
      .where('workspace_id', '=', row.workspace_id)
      .execute();
    await moveApplication(at(tx, scope), row.application_id, addresses(tx.system));
  }
  return {
    scope,
    client: { id: row.client_id, secret: tx.system.keyring.open(row.secret_sealed, SEALED, row.client_id) },
  };
}

async function make(base: TxCtx): Promise<Installation> {
  const { id: workspaceId } = await createWorkspace(base, 'Latchkey');
  const inWorkspace: TxCtx = at(base, { workspaceId });
  const projectId = await createProject(inWorkspace, 'Latchkey console');
  const scope: Scope = { ...inWorkspace.scope, projectId };
  const tx: TxCtx = at(base, scope);
  await setUpRoles(tx);
  // Operators are invited or created at set-up; nobody registers.
  await updateSettings(tx, { registration: 'closed' });
  const { id, clientId, secret } = await createApplication(tx, {
    kind: 'web',
    name: 'Console',
    ...addresses(tx.system),
  });
  if (secret === null) throw new Error('A web application always gets a secret.');
  await tx.db
    .insertInto('console_installation')
    .values({
      workspace_id: workspaceId,
      project_id: projectId,
      application_id: id,
      client_id: clientId,
      secret_sealed: tx.system.keyring.seal(secret, SEALED, clientId),
      console_url: tx.system.config.addresses.console,
      created_at: tx.now,
    })
    .execute();
  return { scope, client: { id: clientId, secret } };
}
