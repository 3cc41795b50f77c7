import type { Source } from './sources.ts';

/** The maximum number of names of a front door without an exception. */
const MAX_NAMES = 12;

type Exceptions = Readonly<Record<string, { max: number; why: string }>>;

/** The maximum number of names of any front door; a part with more should be several parts. */
const MAX_NAMES_OF_A_WIDE_DOOR = 25;

/** Parts that hand out more than {@link MAX_NAMES}: their maximum, and the reason. */
const WIDER: Exceptions = {
  events: { max: 25, why: 'the log, its catalogue of types, and the readers with which audit and webhooks follow it' },
  tenancy: { max: 25, why: 'workspaces and projects: their directory, and how they close, return and end' },
  branding: {
    max: 16,
    why: 'texts, colours and images of projects and organizations, and what pages and mails take from them',
  },
  domains: { max: 23, why: 'organizations have custom domains, and prove their mail domains by the same rules' },
  billing: { max: 16, why: 'a message is admitted, priced, reserved, counted and settled' },
  messages: {
    max: 17,
    why: 'messages are sent, followed to their arrival, listed for the inbox and a person, removed, and previewed by the console',
  },
  pages: { max: 19, why: 'the browser flow of the hosted and the account pages, and the layout of all pages' },
  keys: { max: 16, why: 'signing keys, and the data keys that encrypt everything that is stored' },
  audit: { max: 15, why: 'the log is written, searched, proven, erased, and read in order by log streams' },
  passwords: { max: 16, why: 'hashes, the policy and the table; hashing stands outside of transactions' },
  people: { max: 25, why: 'users, profiles and erasure share a row; imports work with many people at once' },
  'linked-identities': {
    max: 14,
    why: 'accounts at identity providers are found, linked, confirmed and unlinked, one by one and by issuer',
  },
  passkeys: { max: 18, why: 'each ceremony has its options, its response and its check' },
  factors: { max: 17, why: 'two kinds of factors, enrolled, checked and removed one by one' },
  sessions: { max: 25, why: 'sessions, entries and refresh tokens share statements and end in one transaction' },
  organizations: {
    max: 25,
    why: 'members, roles, mail domains and the authority in an organization, which invitations, connections and sessions ask',
  },
  saml: { max: 25, why: 'each message of both sides is written, sent by a binding, received and read' },
  connections: {
    max: 25,
    why: 'connections are configured, at the API and by set-up links, found by address, used to sign in by each kind, and asked by admission',
  },
  invitations: {
    max: 22,
    why: 'invitations to projects, organizations and teams follow one set of rules; set-up links send them, the API and the account page answer them',
  },
  members: { max: 25, why: 'members, roles and authority decide together; imports work with many members at once' },
  applications: { max: 20, why: 'clients, their secrets and origins' },
  webhooks: {
    max: 15,
    why: 'events, mails of logouts and notices are queued by other parts, sent, counted and listed',
  },
  oidc: { max: 23, why: 'account pages, requests, exports, previews and SAML call the provider' },
  exchange: { max: 17, why: 'redirect addresses, PKCE and codes go together' },
  proofs: { max: 24, why: 'a challenge is started, sent, read, counted and spent' },
  attempts: { max: 14, why: 'attempts are counted before they are made, shown to administrators and reset' },
  requests: { max: 16, why: 'scope, principal, application and cookies of a request' },
  'sign-in': { max: 22, why: 'every way in, called by the API and again by the hosted pages' },
  ways: { max: 16, why: 'the checks of every way in, its message, its end and its count' },
  federation: { max: 18, why: 'sign-ins elsewhere and their tests, the exchange of their codes, and linking' },
  self: { max: 18, why: 'what the account pages offer beside the API' },
  backups: { max: 15, why: 'the whole installation and single workspaces, in files of one format' },
  configuration: { max: 15, why: 'files are read, compared and applied, and so is the other environment' },
  operators: { max: 18, why: 'the installation, the team and their sessions' },
};

/** Part → the names its `index.ts` hands out, values and types. Migrations are a list, not a part. */
export function doorsOf(sources: readonly Source[]): Map<string, string[]> {
  const doors = sources.filter(({ path }) => /^[\w-]+\/index\.ts$/.test(path) && path !== 'migrations/index.ts');
  return new Map(doors.map(({ path, text }) => [path.slice(0, path.indexOf('/')), namesIn(text)]));
}

function namesIn(text: string): string[] {
  const lists = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].map(([, names = '']) => names);
  const declared = [...text.matchAll(/^export (?:async )?(?:const|let|function|class|type|interface) (\w+)/gm)];
  return [
    ...lists.flatMap((names) => names.split(',').map((name) => name.trim())).filter((name) => name !== ''),
    ...declared.map(([, name = '']) => name),
  ];
}

/** The doors that hand out more names than they may. */
export function tooWide(doors: ReadonlyMap<string, readonly string[]>, wider = WIDER): string[] {
  return [...doors].flatMap(([part, { length }]) => {
    const max = wider[part]?.max ?? MAX_NAMES;
    return length > max ? [`${part} hands out ${length} names, more than ${max}`] : [];
  });
}

/** The exceptions that allow more than any door may hand out. */
export function tooGenerous(wider = WIDER): string[] {
  return Object.keys(wider).filter((part) => (wider[part]?.max ?? 0) > MAX_NAMES_OF_A_WIDE_DOOR);
}

/** The exceptions that no door needs. */
export function needlessExceptions(doors: ReadonlyMap<string, readonly string[]>, wider = WIDER): string[] {
  return Object.keys(wider).filter((part) => (doors.get(part) ?? []).length <= MAX_NAMES);
}

/** The front doors that contain more than exports from the files of their part. */
export function notOnlyExports(sources: readonly Source[]): string[] {
  const doors = sources.filter(({ path }) => /^[\w-]+\/index\.ts$/.test(path) && path !== 'migrations/index.ts');
  const exports = /export (?:type )?\{[^}]*\} from '[^']+';\n|\/\*\*[\s\S]*?\*\/\n|\/\/[^\n]*\n|\n/g;
  return doors.filter(({ text }) => text.replaceAll(exports, '') !== '').map(({ path }) => path);
}

const SURFACE = /\.(?:auth|me|admin|scim|console|public|page)\.ts$/;

/** Routes stand in `<noun>.<surface>.ts`, the handlers of jobs in `<noun>.task.ts`; such files contain nothing else. */
export function keepsFileScheme({ path, text }: Source): string[] {
  if (/^(?:tests|platform|hosts)\//.test(path) || path.endsWith('.test.ts')) return [];
  const hasRoutes = /\): Routes \{$|^export const \w+: Routes = /m.test(text);
  const hasTask = /\bTask\b[^\n]*'graphile-worker'/.test(text);
  const faults = [
    hasRoutes && !SURFACE.test(path) && `${path} has routes and no surface in its name`,
    !hasRoutes && SURFACE.test(path) && `${path} is named after a surface and has no routes`,
    hasTask && !path.endsWith('.task.ts') && `${path} handles a job and is not named .task.ts`,
    !hasTask && path.endsWith('.task.ts') && `${path} is named .task.ts and handles no job`,
  ];
  return faults.filter((fault) => fault !== false);
}
