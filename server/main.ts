import { parseArgs } from 'node:util';

const HELP = `Usage: latchkey <command> [options]

  serve        start Latchkey (the default)
                 --roles auth,api,status,console,worker   run only these
                 --config FILE                            JSON file of settings
  migrate      bring the database to this version's schema, then end
  quickstart   walk through the product against a running Latchkey
  help         show this
  version      show the version

Settings are environment variables: see docs/configuration.md.
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { roles: { type: 'string' }, config: { type: 'string' } },
});

/** What the command line says, as settings. */
const overrides = { LATCHKEY_ROLES: values.roles, LATCHKEY_CONFIG: values.config };

switch (positionals[0] ?? 'serve') {
  case 'serve':
    await (await import('./cli/serve.ts')).serve(overrides);
    break;
  case 'migrate':
    await (await import('./cli/migrate.ts')).migrateDatabase(overrides);
    break;
  case 'quickstart':
    await (await import('./cli/quickstart.ts')).quickstart(overrides);
    break;
  case 'help':
    process.stdout.write(HELP);
    break;
  case 'version':
    process.stdout.write(`${(await import('./package.json', { with: { type: 'json' } })).default.version}\n`);
    break;
  default:
    process.stderr.write(`latchkey: there is no command "${positionals[0]}".\n\n${HELP}`);
    process.exitCode = 2;
}
