import { parseArgs } from 'node:util';
import type { Arguments } from './cli/listen.ts';

const HELP = `Usage: latchkey <command> [options]

  serve        start Latchkey (the default)
                 --roles auth,api,status,console,worker   run only these
  migrate      bring the database to this version's schema, then end
  keys list    show the signing keys
  keys rotate  publish new signing keys ahead of time: they sign two days later
  listen --forward-to URL
               forward the test environment's events to an address of this machine, signed
                 --types user.*,session.revoked           only these
  trigger TYPE emit an example event in the test environment
                 --credentials FILE                       a file like demo.json, for both; the demo's when absent
  quickstart   walk through the product against a running Latchkey
  help         show this
  version      show the version

  --config FILE   JSON file of settings; environment variables win over it

Settings are environment variables: see docs/configuration.md.
`;

/** What the command line says, as settings. */
type Overrides = Record<string, string | undefined>;

const COMMANDS: Record<string, (overrides: Overrides, given: Arguments) => Promise<void>> = {
  'keys list': async (overrides) => (await import('./cli/keys.ts')).keys(overrides, 'list'),
  'keys rotate': async (overrides) => (await import('./cli/keys.ts')).keys(overrides, 'rotate'),
  serve: async (overrides) => (await import('./cli/serve.ts')).serve(overrides),
  migrate: async (overrides) => (await import('./cli/migrate.ts')).migrateDatabase(overrides),
  listen: async (overrides, given) => (await import('./cli/listen.ts')).listen(overrides, given),
  trigger: async (overrides, given) => (await import('./cli/listen.ts')).trigger(overrides, given),
  quickstart: async (overrides) => (await import('./cli/quickstart.ts')).quickstart(overrides),
  help: async () => {
    process.stdout.write(HELP);
  },
  version: async () => {
    const { default: manifest } = await import('./package.json', { with: { type: 'json' } });
    process.stdout.write(`${manifest.version}\n`);
  },
};

/** Commands that take words after their name. */
const TAKES_OPERANDS = ['trigger'];

function parse(): { name: string; given: Arguments; overrides: Overrides } {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      roles: { type: 'string' },
      config: { type: 'string' },
      'forward-to': { type: 'string' },
      types: { type: 'string' },
      credentials: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean' },
    },
  });
  const [first = 'serve', second = '', ...others] = positionals;
  const two = Object.hasOwn(COMMANDS, `${first} ${second}`);
  const command = two ? `${first} ${second}` : first;
  const rest = two || second === '' ? others : [second, ...others];
  const name = values.help ? 'help' : values.version ? 'version' : command;
  const given: Arguments = {
    operands: rest,
    ...(values['forward-to'] !== undefined && { forwardTo: values['forward-to'] }),
    ...(values.types !== undefined && { types: values.types }),
    ...(values.credentials !== undefined && { credentials: values.credentials }),
  };
  return { name, given, overrides: { LATCHKEY_ROLES: values.roles, LATCHKEY_CONFIG: values.config } };
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

const { name, given, overrides } = parseOrExplain();
const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
if (!command) misused(`there is no command "${name}".`);
if (given.operands.length > (TAKES_OPERANDS.includes(name) ? 1 : 0))
  misused(`"${name}" takes no "${given.operands.join(' ')}".`);
await command(overrides, given);
