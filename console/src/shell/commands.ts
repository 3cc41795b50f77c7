/** A command of the palette: a navigation or an action. */
export type Command = {
  id: string;
  label: string;
  kind: string;
  /** Other words for it, as people of the field call it. */
  also?: string;
  to?: string;
  run?: () => void;
};

/** Commands whose label, kind or other words contain every typed word; labels that start with the text come first. */
export function matching(commands: readonly Command[], typed: string): Command[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const [first = ''] = words;
  const fits = commands.filter(({ label, kind, also = '' }) =>
    words.every((word) => `${label} ${kind} ${also}`.toLowerCase().includes(word)),
  );
  const rank = ({ label }: Command) => (label.toLowerCase().startsWith(first) ? 0 : 1);
  return fits.toSorted((one, other) => rank(one) - rank(other));
}

/** Other words for the screens, by their path. */
export const SYNONYMS: Readonly<Record<string, string>> = {
  '': 'home dashboard figures analytics metrics',
  '/insight': 'analytics metrics retention funnel figures statistics countries registrations signups adoption',
  '/members': 'users people customers accounts identities',
  '/invitations': 'invites',
  '/organizations': 'tenants companies customers b2b sso',
  '/roles': 'rbac permissions access',
  '/authorization': 'fga relations zanzibar check',
  '/applications': 'apps clients oauth oidc client id secret rotate api keys saml service provider',
  '/sign-in': 'mfa 2fa second factor passwords passkeys magic link policy login security settings',
  '/providers': 'social google apple microsoft github sso federation',
  '/branding': 'logo colours theme css look',
  '/messages': 'mails emails templates texts sms',
  '/domains': 'custom domain dns certificate tls',
  '/apis': 'resource servers audience scopes',
  '/webhooks': 'endpoints deliveries hooks signing secret rotate',
  '/webhooks/deliveries': 'attempts retries failed',
  '/events': 'logs activity stream feed',
  '/audit': 'logs history compliance trail',
  '/log-streams': 'siem export splunk datadog logs',
  '/inbox': 'mails caught test emails',
  '/sms': 'text messages billing add-on usage',
  '/status': 'incidents maintenance outage uptime components',
  '/promotion': 'configuration as code diff compare promote production deploy environments drift',
  '/settings': 'project delete rename self-service',
  '/projects': 'products',
  '/team': 'operators colleagues administrators',
  '/workspace': 'tenant delete rename',
};

type Action = { path: string; label: string; also: string; permission: string };

/** What people come to do, and the screen where it is done. */
export const ACTIONS: readonly Action[] = [
  {
    path: '/applications/new',
    label: 'Add application',
    also: 'new app create client',
    permission: 'applications:write',
  },
  { path: '/invitations?new=1', label: 'Invite a member', also: 'new user', permission: 'invitations:write' },
  { path: '/members?new=1', label: 'Add a member', also: 'new user create', permission: 'members:write' },
  { path: '/members/import', label: 'Import members', also: 'migrate users csv', permission: 'members:import' },
  { path: '/webhooks?new=1', label: 'Add a webhook endpoint', also: 'new hook create', permission: 'webhooks:write' },
  {
    path: '/organizations?new=1',
    label: 'Add an organization',
    also: 'new tenant company',
    permission: 'organizations:write',
  },
  { path: '/status?new=1', label: 'Report an incident', also: 'outage new', permission: 'status:write' },
  { path: '/apis?new=1', label: 'Add an API', also: 'new resource server', permission: 'apis:write' },
];

const KEPT = 5;

/** The commands that were run last, the latest first. */
export function withRecent(recent: readonly Command[], { run: _run, ...command }: Command): Command[] {
  if (command.to === undefined) return [...recent];
  return [command, ...recent.filter(({ id }) => id !== command.id)].slice(0, KEPT);
}
