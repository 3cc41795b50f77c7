import { parseArgs } from 'node:util';

const HELP = `Usage: latchkey <command> [options]

  serve        start Latchkey (the default)
                 --roles auth,api,status,console,worker   run only these
  migrate      bring the database to this version's schema, then end
  keys list    show the signing keys
  keys rotate  publish new signing keys ahead of time: they sign two days later
  audit verify FILE   prove an export of the audit log whole and unaltered
                 --checkpoints FILE   and in agreement with signed checkpoints kept elsewhere
                 --key THUMBPRINT     and signed with this key
                 --json               tell the result as JSON
  quickstart   walk through the product against a running Latchkey
  help         show this
  version      show the version

  --config FILE   JSON file of settings; environment variables win over it

Settings are environment variables: see docs/configuration.md.
`;

/** What the command line says, as settings. */
type Overrides = Record<string, string | undefined>;

/** Options that belong to one command. */
type Options = { checkpoints: string | undefined; key: string | undefined; json: boolean };

const COMMANDS: Record<string, (overrides: Overrides, options: Options, files: string[]) => Promise<void>> = {
  'audit verify': async (_overrides, options, [file]) =>
    (await import('./cli/audit.ts')).verifyAuditFile(
      file ?? misused('"audit verify" needs the file to verify.'),
      options,
    ),
  'keys list': async (overrides) => (await import('./cli/keys.ts')).keys(overrides, 'list'),
  'keys rotate': async (overrides) => (await import('./cli/keys.ts')).keys(overrides, 'rotate'),
  serve: async (overrides) => (await import('./cli/serve.ts')).serve(overrides),
  migrate: async (overrides) => (await import('./cli/migrate.ts')).migrateDatabase(overrides),
  quickstart: async (overrides) => (await import('./cli/quickstart.ts')).quickstart(overrides),
  help: async () => {
    process.stdout.write(HELP);
  },
  version: async () => {
    const { default: manifest } = await import('./package.json', { with: { type: 'json' } });
    process.stdout.write(`${manifest.version}\n`);
  },
};

/** How many files a command takes; others take none. */
const FILES: Record<string, number> = { 'audit verify': 1 };

function parse(): { name: string; rest: string[]; overrides: Overrides; options: Options } {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      roles: { type: 'string' },
      config: { type: 'string' },
      checkpoints: { type: 'string' },
      key: { type: 'string' },
      json: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean' },
    },
  });
  const [first = 'serve', second = '', ...others] = positionals;
  const two = Object.hasOwn(COMMANDS, `${first} ${second}`);
  const command = two ? `${first} ${second}` : first;
  const rest = two || second === '' ? others : [second, ...others];
  const name = values.help ? 'help' : values.version ? 'version' : command;
  const options = { checkpoints: values.checkpoints, key: values.key, json: values.json === true };
  return { name, rest, options, overrides: { LATCHKEY_ROLES: values.roles, LATCHKEY_CONFIG: values.config } };
}

function misused(what: string): never {
  process.stderr.write(`latchkey: ${what}\n\n${HELP}`);
  process.exit(2);
}

function parseOrExplain(): ReturnType<typeof parse> {
  try {
    return parse();
  } catch (error) {
    return misused(error instanceof Error ? error.message : String(error));
  }
}

const { name, rest, overrides, options } = parseOrExplain();
const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
if (!command) misused(`there is no command "${name}".`);
const excess = rest.slice(FILES[name] ?? 0);
if (excess.length > 0) misused(`"${name}" takes no "${excess.join(' ')}".`);
await command(overrides, options, rest);
