import { parseArgs } from 'node:util';

const HELP = `Usage: latchkey <command> [options]

  serve        start Latchkey (the default)
                 --roles auth,api,status,console,worker   run only these
  migrate      bring the database to this version's schema, then end
  keys list    show the signing keys
  keys rotate  publish new signing keys ahead of time: they sign two days later
  admin create-owner --email ADDRESS
               make somebody owner of the installation, with a new password
  quickstart   walk through the product against a running Latchkey
  demo-traffic make traffic in the running demo
  help         show this
  version      show the version

  --config FILE   JSON file of settings; environment variables win over it

Settings are environment variables: see docs/configuration.md.
`;

/** What the command line says, as settings. */
type Overrides = Record<string, string | undefined>;
type Command = (overrides: Overrides, options: { email: string | undefined }) => Promise<void>;

const COMMANDS: Record<string, Command> = {
  'admin create-owner': async (overrides, { email }) =>
    (await import('./cli/admin.ts')).createOwnerOf(
      overrides,
      email ?? misused('"admin create-owner" needs --email ADDRESS.'),
    ),
  'keys list': async (overrides) => (await import('./cli/keys.ts')).keys(overrides, 'list'),
  'keys rotate': async (overrides) => (await import('./cli/keys.ts')).keys(overrides, 'rotate'),
  serve: async (overrides) => (await import('./cli/serve.ts')).serve(overrides),
  migrate: async (overrides) => (await import('./cli/migrate.ts')).migrateDatabase(overrides),
  quickstart: async (overrides) => (await import('./cli/quickstart.ts')).quickstart(overrides),
  'demo-traffic': async (overrides) => (await import('./cli/demo-traffic.ts')).demoTraffic(overrides),
  help: async () => {
    process.stdout.write(HELP);
  },
  version: async () => {
    const { default: manifest } = await import('./package.json', { with: { type: 'json' } });
    process.stdout.write(`${manifest.version}\n`);
  },
};

function parse(): { name: string; rest: string[]; email: string | undefined; overrides: Overrides } {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      roles: { type: 'string' },
      config: { type: 'string' },
      email: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean' },
    },
  });
  const [first = 'serve', second = '', ...others] = positionals;
  const two = Object.hasOwn(COMMANDS, `${first} ${second}`);
  const command = two ? `${first} ${second}` : first;
  const rest = two || second === '' ? others : [second, ...others];
  const name = values.help ? 'help' : values.version ? 'version' : command;
  return {
    name,
    rest,
    email: values.email,
    overrides: { LATCHKEY_ROLES: values.roles, LATCHKEY_CONFIG: values.config },
  };
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

const { name, rest, email, overrides } = parseOrExplain();
const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
if (!command) misused(`there is no command "${name}".`);
if (rest.length > 0) misused(`"${name}" takes no "${rest.join(' ')}".`);
await command(overrides, { email });
