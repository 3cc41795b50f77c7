import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** What a person can mend; it is shown without a stack. */
export class Refused extends Error {}

/** What the first start of a Latchkey in development writes to `demo.json`, for the test environment. */
export type Demo = {
  workspaceId: string;
  projectId: string;
  environment: {
    authUrl: string;
    apiUrl: string;
    managementClientId: string;
    managementClientSecret: string;
    owner: { email: string; password: string };
  };
};

/**
 * Reads the `demo.json` of a Latchkey on this machine.
 * @param data its data folder; otherwise LATCHKEY_DATA_DIR, or `.latchkey` here or in a folder above
 * @throws Refused
 */
export function findDemo(data: string | undefined): Demo {
  const named = data ?? process.env['LATCHKEY_DATA_DIR'];
  const path = named === undefined ? above(process.cwd()) : join(resolve(named), 'demo.json');
  if (path === null || !existsSync(path))
    throw new Refused(
      `Found no ${path ?? '.latchkey/demo.json here or in a folder above'}. Start Latchkey first, in another terminal (npx latchkey serve), and name its data folder: --data PATH/.latchkey`,
    );
  const { workspaceId, projects, environments } = JSON.parse(readFileSync(path, 'utf8'));
  if (!environments?.test || !projects?.[0]) throw new Refused(`${path} is not from a Latchkey in development.`);
  return { workspaceId, projectId: projects[0].id, environment: environments.test };
}

function above(folder: string): string | null {
  const path = join(folder, '.latchkey', 'demo.json');
  if (existsSync(path)) return path;
  return dirname(folder) === folder ? null : above(dirname(folder));
}
