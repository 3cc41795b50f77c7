import { type Static, Type } from 'typebox';
import { IdSchema } from '#platform/ids.ts';
import { Keyring, newDataKey } from '#platform/keyring.ts';
import { sealedPlaces } from '#platform/sealed.ts';
import type { System } from '#platform/system.ts';

/** The entry with the waiting jobs of a workspace. */
export const JOBS = 'jobs.copy';

const CarriedContent = Type.Object({
  name: Type.String({ pattern: '^[a-z_]+$' }),
  columns: Type.Array(Type.String({ pattern: '^[a-z_0-9]+$' })),
  rows: Type.Integer({ minimum: 0 }),
  /** See {@link Fingerprint}. */
  fingerprint: Type.String(),
});
export type CarriedContent = Static<typeof CarriedContent>;

const Addresses = Type.Object({ auth: Type.String(), api: Type.String() });

/** What the file of a workspace says about itself. The file is a ZIP like a backup, and always encrypted. */
export const WorkspaceManifest = Type.Object({
  format: Type.Literal('workspace-1'),
  latchkey: Type.String(),
  createdAt: Type.String(),
  /** The last applied migration of the database. */
  schema: Type.Integer(),
  workspace: Type.Object({ id: IdSchema('wrk'), name: Type.String() }),
  /** Whether the workspace was closed when it was written. */
  closed: Type.Boolean(),
  /** Where it was served. */
  addresses: Type.Object({ test: Addresses, production: Addresses }),
  /** What was sealed with the data keys of the installation is sealed with this key, which is only in this file. */
  key: Type.Object({ secret: Type.String(), id: Type.String(), wrapped: Type.String() }),
  team: Type.Array(Type.Object({ email: Type.String(), role: Type.String() })),
  tables: Type.Array(CarriedContent),
  jobs: Type.Integer({ minimum: 0 }),
});
export type WorkspaceManifest = Static<typeof WorkspaceManifest>;

/** The key ring of a file. */
export function keyringOfFile(
  { parts }: Pick<System, 'parts'>,
  { secret, id, wrapped }: WorkspaceManifest['key'],
): Keyring {
  const keyring = new Keyring(
    [secret],
    sealedPlaces(parts).map(([purpose]) => purpose),
  );
  keyring.load([{ id, wrapped, state: 'active' }]);
  return keyring;
}

/** A key for a new file. */
export function newFileKey(): WorkspaceManifest['key'] {
  const [key, secret] = [newDataKey(), newDataKey().material.toString('base64url')];
  return { secret, id: key.id, wrapped: new Keyring([secret], []).wrap(key, 'newest') };
}
