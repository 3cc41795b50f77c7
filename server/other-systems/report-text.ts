import type { MappingReport } from './mapping-report.ts';

const STATES = {
  linked: 'linked',
  missing: 'LEFT OUT: the project has no such identity provider',
  'not comparable': 'left out: the ids of these accounts are not those that the provider shows at a sign-in',
  'no issuer': 'left out: the file does not name the directory of these accounts',
} as const;

/** The report for people to read. */
export function reportText(name: string, report: MappingReport): string {
  const { addresses } = report;
  const sections = [
    [`People from ${name}: ${report.people}`, ...(report.blocked > 0 ? [`  blocked: ${report.blocked}`] : [])].join(
      '\n',
    ),
    list('Passwords', Object.entries(report.passwords).map(counted)),
    list('Addresses', [
      `email addresses: ${addresses.email}, ${addresses.emailVerified} of them verified`,
      `phone numbers: ${addresses.phone}, ${addresses.phoneVerified} of them verified`,
      `usernames: ${addresses.username}`,
    ]),
    list(
      'Accounts at identity providers',
      report.links.map(
        ({ theirs, provider, state, people }) => `${arrow(theirs, provider)}: ${people}, ${STATES[state]}`,
      ),
    ),
    list(
      'Roles',
      report.roles.map(
        ({ theirs, role, people }) => `${arrow(theirs, role)}: ${people}${role === null ? ', LEFT OUT' : ''}`,
      ),
    ),
    list('Left out', [...Object.entries(report.lost), ...Object.entries(report.skipped)].map(counted)),
    list(
      `Rejected: ${report.rejected}`,
      report.rejections.map(({ id, reason }) => `${id}: ${reason}`),
    ),
    report.duplicates > 0
      ? `With an address or name of an earlier person: ${report.duplicates}. Each person is imported once.`
      : '',
  ];
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

function counted([what, count]: readonly [string, number]): string {
  return `${what}: ${count}`;
}

function arrow(theirs: string, ours: string | null): string {
  return ours === null || ours === theirs ? theirs : `${theirs} → ${ours}`;
}

function list(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : [title, ...lines.map((line) => `  ${line}`)].join('\n');
}
