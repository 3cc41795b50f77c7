import { Command, CommanderError } from 'commander';
import type { ConfigurationOptions } from './cli/configuration.ts';
import type { MemberOptions } from './cli/members.ts';
import type { TransferOptions } from './cli/transfer.ts';
import manifest from './package.json' with { type: 'json' };

/** The options of every command, as settings; they take precedence over environment variables. */
type Shared = { config?: string };

const MISUSED = 2;

/** What is wrong with the words of the command line, with the usage. */
let complaint = '';

const program = new Command('latchkey')
  .configureOutput({
    writeErr: (text) => {
      complaint += text;
    },
  })
  .description('Self-hosted customer identity and access with a public status page')
  .version(manifest.version)
  .option('--config <file>', 'JSON file of settings; environment variables take precedence')
  .helpCommand('help', 'show this')
  .addHelpText('after', '\nSettings are environment variables: see docs/configuration.md.')
  .showHelpAfterError()
  .exitOverride();

/** Adds a command that takes its settings from `--config`, and whose code is loaded when it runs. */
function command(usage: string, description: string): Command {
  const [name = '', ...operands] = usage.split(' ');
  const added = program.command(name).description(description).exitOverride();
  return operands.reduce((known, operand) => known.argument(operand), added);
}

function settings(more: Record<string, string | undefined> = {}): Record<string, string | undefined> {
  return { LATCHKEY_CONFIG: program.opts<Shared>().config, ...more };
}

command('serve', 'start Latchkey (the default)')
  .option('--roles <list>', 'run only these: auth,api,status,console,worker')
  .action(async ({ roles }: { roles?: string }) =>
    (await import('./cli/serve.ts')).serve(settings({ LATCHKEY_ROLES: roles })),
  );

command('ready', 'say whether the Latchkey on this machine can serve; the exit status is 1 if it cannot').action(
  async () => (await import('./cli/ready.ts')).ready(settings()),
);

command('migrate', "migrate the database to this version's schema, then exit")
  .option('--plan', 'only show the pending migrations: statements, locks and estimated time')
  .option('--json', 'print the schema version, or the plan, as JSON')
  .action(async (options: { json?: true; plan?: true }) =>
    (await import('./cli/migrate.ts')).migrateDatabase(settings(), options),
  );

command('distribute', 'divide the tables over the servers of a Citus cluster, then exit')
  .option('--plan', 'only show the tables that would move, their sizes and a rough time')
  .option('--json', 'print how the tables lie as JSON')
  .action(async (options: { json?: true; plan?: true }) =>
    (await import('./cli/distribute.ts')).distribute(settings(), options),
  );

command('doctor', 'check configuration, database, addresses, mail and DNS, and suggest remedies')
  .option('--json', 'print the findings as JSON')
  .action(async (options: { json?: true }) => (await import('./cli/doctor.ts')).doctor(settings(), options));

command('upgrade-check', 'say what an upgrade to this version would change, and what is in its way')
  .option('--json', 'print the findings as JSON')
  .action(async (options: { json?: true }) => (await import('./cli/doctor.ts')).upgradeCheck(settings(), options));

const keys = command('keys', 'show or rotate the signing keys, or change the secret');
keys
  .command('list')
  .description('show the signing keys')
  .option('--json', 'print them as JSON')
  .action(async (options: { json?: true }) => (await import('./cli/keys.ts')).listSigningKeys(settings(), options));
keys
  .command('rotate')
  .description('publish new signing keys ahead of time: they sign two days later')
  .option('--now', 'in an emergency: the new keys sign at once')
  .option('--retire <id...>', 'with --now: end these keys; every token they signed is refused')
  .option('--json', 'print the keys as JSON')
  .action(async (options: { now?: true; retire?: string[]; json?: true }) =>
    (await import('./cli/keys.ts')).rotateSigningKeys(settings(), options),
  );

keys
  .command('reseal')
  .description('encrypt all data with the first secret of LATCHKEY_SECRET, so that the others can be removed')
  .option('--new-key', 'after a leak: replace the data key too, and seal every value again')
  .option('--json', 'print the result as JSON')
  .action(async (options: { newKey?: true; json?: true }) =>
    (await import('./cli/reseal.ts')).resealAll(settings(), options),
  );

command('sessions', 'manage the sessions of all users')
  .command('end-all')
  .description('end every session and replace the signing keys: everybody signs in again')
  .requiredOption('--yes', 'do it')
  .option('--json', 'print the result as JSON')
  .action(async (options: { json?: true }) => (await import('./cli/sessions.ts')).endAllSessions(settings(), options));

command('audit', 'work with exports of the audit log')
  .command('verify <file>')
  .description('prove that an export of the audit log is complete and unaltered')
  .option('--checkpoints <file>', 'also compare it with signed checkpoints kept elsewhere')
  .option('--key <thumbprint>', 'also require this signing key')
  .option('--json', 'print the result as JSON')
  .action(async (file: string, options: { checkpoints?: string; key?: string; json?: true }) =>
    (await import('./cli/audit.ts')).verifyAuditFile(file, options),
  );

const statements = command(
  'statements',
  'list statements of the SMS add-on that are paid manually, or mark one as paid',
);
statements
  .command('list')
  .description('list the unpaid statements of projects')
  .option('--json', 'print them as JSON')
  .action(async (options: { json?: true }) =>
    (await import('./cli/statements.ts')).listStatements(settings(), options),
  );
statements
  .command('paid <id>')
  .description('mark a statement as paid')
  .option('--json', 'print the result as JSON')
  .action(async (id: string, options: { json?: true }) =>
    (await import('./cli/statements.ts')).payStatement(settings(), id, options),
  );

command('backup [file]', 'write the whole database to a file, to standard output (-), or to LATCHKEY_BACKUP_TO')
  .option('--json', 'print the result as JSON')
  .action(async (file: string | undefined, options: { json?: true }) =>
    (await import('./cli/backup.ts')).backup(settings(), file, options),
  );

command('backups', 'list the backups at LATCHKEY_BACKUP_TO, the newest last')
  .option('--json', 'print them as JSON')
  .action(async (options: { json?: true }) => (await import('./cli/backup.ts')).listBackups(settings(), options));

command('backup-key', 'print a new key that encrypts backups').action(async () =>
  (await import('./cli/backup.ts')).printBackupKey(),
);

command('restore <backup>', 'restore a backup into an empty database')
  .option('--stored', 'the backup is at LATCHKEY_BACKUP_TO; "newest" names the newest')
  .option('--verify', 'prove that the backup can be restored, in a temporary database')
  .option('--json', 'print the result as JSON')
  .action(async (name: string, options: { stored?: true; verify?: true; json?: true }) =>
    (await import('./cli/restore.ts')).restore(settings(), name, options),
  );

const workspaces = command('workspace', 'carry whole workspaces between installations');
workspaces
  .command('list')
  .description('list the workspaces of this installation')
  .option('--json', 'print them as JSON')
  .action(async (options: { json?: true }) =>
    (await import('./cli/workspaces.ts')).listWorkspaces(settings(), options),
  );
workspaces
  .command('export <workspace> <file>')
  .description('write a whole workspace into an encrypted file')
  .option('--close', 'close the workspace first, so that the file has everything; it is removed after seven days')
  .option('--key <key>', 'encrypt for this key (age1…) instead of LATCHKEY_BACKUP_KEY')
  .option('--json', 'print the result as JSON')
  .action(async (workspace: string, file: string, options: { close?: true; key?: string; json?: true }) =>
    (await import('./cli/workspaces.ts')).exportTo(settings(), { workspace, file }, options),
  );
workspaces
  .command('import <file>')
  .description('import a workspace from a file of another installation, which LATCHKEY_BACKUP_KEY decrypts')
  .option('--owner <email>', 'the operator of this installation who becomes an owner of the workspace')
  .option('--json', 'print the result as JSON')
  .action(async (file: string, options: { owner?: string; json?: true }) =>
    (await import('./cli/workspaces.ts')).importFrom(settings(), file, options),
  );
workspaces
  .command('reopen <workspace>')
  .description('open a workspace again that was closed for its export')
  .action(async (workspace: string) => (await import('./cli/workspaces.ts')).reopen(settings(), workspace));

command('import <files...>', 'add members to a project from NDJSON or CSV, or from files of another system')
  .option('--from <system>', 'the system that the files come from; docs/moving-in.md names them')
  .option('--report-only', 'with --from: only report what would be imported')
  .option('--yes', 'with --from: import without asking')
  .option('--provider <names...>', 'with --from: THEIRS=OURS, the key of an identity provider here')
  .option('--role <names...>', 'with --from: THEIRS=OURS, the key of a role here')
  .option('--workspace <id>', "with --project: which project; the environment's default one when absent")
  .option('--project <id>', 'with --workspace')
  .option('--environment <name>', 'test (the default) or production')
  .option('--format <name>', 'ndjson or csv; by the name of the file when absent')
  .option('--dry-run', 'report the result and change nothing')
  .option('--json', 'print the result as JSON')
  .action(async (files: string[], options: TransferOptions) =>
    options.from === undefined
      ? (await import('./cli/members.ts')).importFile(settings(), files, options)
      : (await import('./cli/transfer.ts')).importFrom(settings(), options.from, files, options),
  );

command('export [file]', 'write all members of a project as NDJSON, with their password hashes')
  .option('--to <system>', 'in the form that auth0, keycloak or cognito import')
  .option('--workspace <id>', "with --project: which project; the environment's default one when absent")
  .option('--project <id>', 'with --workspace')
  .option('--environment <name>', 'test (the default) or production')
  .option('--json', 'print the result as JSON')
  .action(async (file: string | undefined, options: MemberOptions) =>
    (await import('./cli/members.ts')).exportFile(settings(), file, options),
  );

const configuration = command('config', 'keep the configuration of a project environment in files');
for (const [name, description] of [
  ['export', 'write the configuration to files'],
  ['plan', 'show what would change; the exit status is 0 without changes, 2 with changes, 1 after an error'],
  ['apply', 'show what changes, ask, and make the changes'],
] as const) {
  const added = configuration
    .command(`${name} <folder>`)
    .description(description)
    .exitOverride()
    .option('--credentials <file>', 'a file like demo.json, in place of LATCHKEY_ISSUER, LATCHKEY_API and so on')
    .option('--environment <name>', 'test or production')
    .option('--only <kinds>', 'only these, such as roles,applications')
    .option('--json', 'print the result as JSON');
  if (name !== 'export')
    added
      .option('--prune', 'remove records that the files do not have')
      .option('--set-secrets', 'send every secret again, because the API does not show whether it changed');
  if (name === 'apply')
    added.option('--secrets-to <file>', 'append the secrets of new records to this file').option('--yes', 'do not ask');
  added.action(async (folder: string, options: ConfigurationOptions) =>
    (await import('./cli/configuration.ts'))[`${name}Configuration`](settings(), folder, options),
  );
}

command('listen', "forward the test environment's events to an address of this machine, signed")
  .requiredOption('--forward-to <url>', 'such as http://localhost:3000/hooks')
  .option('--types <list>', 'only these, such as user.*,session.revoked')
  .option('--credentials <file>', "a file like demo.json; the demo's when absent")
  .action(async (options: { forwardTo: string; types?: string; credentials?: string }) =>
    (await import('./cli/listen.ts')).listen(settings(), options),
  );

command('trigger <type>', 'emit an example event in the test environment')
  .option('--credentials <file>', "a file like demo.json; the demo's when absent")
  .action(async (type: string, options: { credentials?: string }) =>
    (await import('./cli/listen.ts')).trigger(settings(), type, options),
  );

command('admin', 'manage the owners of this installation')
  .command('create-owner')
  .description('print the set-up link for the first owner; with --email, make a user an owner, with a new password')
  .option('--email <address>', 'the address of an existing or a new operator')
  .option('--json', 'print the link, or the address and password, as JSON')
  .action(async (options: { email?: string; json?: true }) =>
    (await import('./cli/admin.ts')).createOwnerOf(settings(), options),
  );

command('demo-traffic', 'simulate traffic in the running demo, through its public interface').action(async () =>
  (await import('./cli/demo-traffic.ts')).demoTraffic(settings()),
);

command('quickstart', 'walk through the product against a running Latchkey').action(async () =>
  (await import('./cli/quickstart.ts')).quickstart(settings()),
);

/** Runs a command line, without the names of Node.js and the program. Ends the process if the words are no command. */
export async function run(words: readonly string[]): Promise<void> {
  complaint = '';
  try {
    await program.parseAsync(withCommand(words), { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (complaint !== '') {
      const { announcerFor } = await import('./cli/announcer.ts');
      announcerFor(settings()).fail(complaint.trimEnd());
    }
    // To a plan, 2 says that there are changes.
    const misused = words[sharedIn(words)] === 'config' ? 1 : MISUSED;
    process.exit(error.exitCode === 0 ? 0 : misused);
  }
}

/** Without a command, options are those of `serve`; `--config` may stand before either. */
function withCommand(words: readonly string[]): readonly string[] {
  const shared = sharedIn(words);
  const first = words[shared];
  const ofProgram = first !== undefined && ['-h', '--help', '-V', '--version'].includes(first);
  const bare = first === undefined || (first.startsWith('-') && !ofProgram);
  return bare ? [...words.slice(0, shared), 'serve', ...words.slice(shared)] : words;
}

/** How many of the words are an option of every command. */
function sharedIn([word = '']: readonly string[]): number {
  if (word === '--config') return 2;
  return word.startsWith('--config=') ? 1 : 0;
}
