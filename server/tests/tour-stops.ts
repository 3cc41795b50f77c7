import assert from 'node:assert/strict';
import type { Operator } from './operators.ts';

/** A screen of the tour. */
export type Stop = {
  name: string;
  path: string;
  title: string;
  text: string;
  environment?: 'test' | 'production';
  ofWorkspace?: true;
  /** Also taken at the width of a phone. */
  narrow?: true;
};

/** The screens of the tour, with the current records. */
export async function stopsOf(operator: Operator): Promise<Stop[]> {
  const first = async (path: string, fits: (item: Record<string, unknown>) => boolean = () => true) => {
    const { body, text } = await operator.call(`/console/v1/${path}`);
    const found = body.items.find(fits);
    assert.ok(found, text);
    return found.id;
  };
  const [member, application, endpoint, domain, incident, delivery, members] = await Promise.all([
    first('members?role=clerk'),
    first('applications', ({ name }) => name === 'Storefront'),
    first('webhooks/endpoints', ({ description }) => description === 'Warehouse'),
    first('domains', ({ status }) => status === 'verified'),
    first('status/incidents', ({ phase }) => phase === 'identified'),
    first('webhooks/deliveries?status=delivered'),
    first('members/import'),
  ]);
  return [
    ...ofPeople({ member, members }),
    ...ofSignIn({ application }),
    ...ofOperation({ endpoint, delivery, domain, incident }),
    ...ofWorkspace(),
  ];
}

type People = { member: string; members: string };

function ofPeople({ member, members }: People): Stop[] {
  return [
    stop(
      'overview',
      '',
      'Overview',
      'Activity of the selected project and environment: successful and failed sign-ins, people, webhook deliveries.',
      { narrow: true },
    ),
    stop(
      'insight',
      '/insight',
      'Insight',
      'Sign-ins by way, application and reason, registration, retention and delivery, over the days that you choose.',
    ),
    stop(
      'members',
      '/members',
      'Members',
      'All members of the project. Search matches any part of a name or address; filters are part of the URL.',
      { narrow: true },
    ),
    stop(
      'member',
      `/members/${member}`,
      'One member',
      'Addresses, roles, sessions and history of a member, with actions to block, reset, sign out and remove.',
      { narrow: true },
    ),
    stop(
      'import',
      '/members/import',
      'Importing members',
      'Upload a file from another system, with password hashes; a dry run comes first, then the import.',
    ),
    stop(
      'import-report',
      `/members/import/${members}`,
      'Import report',
      'The outcome of each row, with failed rows as a file to correct and import again.',
    ),
    stop(
      'organizations',
      '/organizations',
      'Organizations',
      'The companies that are customers, each with its members, roles, connections, directory and branding.',
    ),
    stop(
      'roles',
      '/roles',
      'Roles and permissions',
      'The permissions of each role. Built-in roles cannot be changed; custom roles are edited here.',
    ),
  ];
}

function ofSignIn({ application }: { application: string }): Stop[] {
  return [
    stop(
      'application',
      `/applications/${application}`,
      'An application',
      'Client id, sample code, secrets and redirect addresses.',
    ),
    stop(
      'sign-in',
      '/sign-in',
      'Sign-in methods and policy',
      'Sign-in methods, and the rules for passwords, second factors and sessions.',
    ),
    stop(
      'branding',
      '/branding',
      'Branding',
      'The look of the hosted pages, down to a style sheet, with a preview of every page and message before you save.',
    ),
    stop(
      'message',
      '/messages/verify_email',
      'A message',
      'The text of each mail and text message in each language, with a preview.',
    ),
  ];
}

type Operation = { endpoint: string; delivery: string; domain: string; incident: string };

function ofOperation({ endpoint, delivery, domain, incident }: Operation): Stop[] {
  return [
    stop('domain', `/domains/${domain}`, 'A domain', 'The DNS record that verifies the domain, and its bindings.'),
    stop(
      'endpoint',
      `/webhooks/${endpoint}`,
      'A webhook endpoint',
      'Delivery statistics, the subscribed events, and the latest deliveries.',
    ),
    stop(
      'delivery',
      `/webhooks/deliveries/${delivery}`,
      'A delivery',
      'Each attempt with its response, and the payload as signed and sent.',
      { narrow: true },
    ),
    stop('events', '/events', 'Event log', 'All events, with their data.'),
    stop('audit', '/audit', 'Audit log', 'Who changed what, in a tamper-evident chain, with export.', {
      narrow: true,
    }),
    stop('sms', '/sms', 'SMS add-on', 'The tier, its usage and the ledger, in production.', {
      environment: 'production',
    }),
    stop(
      'sms-guard',
      '/sms/guard',
      'The SMS guard',
      'Countries, kinds of numbers and limits that protect against SMS pumping.',
      { environment: 'production' },
    ),
    stop(
      'status',
      '/status',
      'Status',
      'Incidents, components, maintenance and subscribers, for the team of the installation.',
      { narrow: true },
    ),
    stop(
      'status-components',
      '/status/components',
      'Status components',
      'The components of the public page, their groups and order.',
    ),
    stop(
      'status-settings',
      '/status/settings',
      'Status settings',
      'Where the status is published, and what happens automatically when a component fails.',
    ),
    stop('incident', `/status/${incident}`, 'An incident', 'The published updates, and a form for the next one.'),
  ];
}

function ofWorkspace(): Stop[] {
  return [
    stop('settings', '/settings', 'Project settings', 'Name, addresses and languages, for each environment.'),
    stop(
      'workspace',
      '/workspace',
      'Workspace settings',
      'Name and deletion; an owner can restore a deleted workspace within seven days.',
      { ofWorkspace: true },
    ),
    stop('team', '/team', 'Team', 'The operators of the workspace and their roles.', {
      ofWorkspace: true,
      narrow: true,
    }),
  ];
}

// biome-ignore lint/complexity/useMaxParams: each call reads as a line of a table
function stop(name: string, path: string, title: string, text: string, more: Partial<Stop> = {}): Stop {
  return { name, path, title, text, ...more };
}

/** Generates docs/console-tour.md. */
export function tourText(stops: readonly Stop[]): string {
  const sections = stops.map(({ name, title, text, narrow }) => {
    const wide = `![${title}](images/console/${name}.png)`;
    return `## ${title}\n\n${text}\n\n${wide}\n${narrow ? `\nOn a phone, in dark mode:\n\n<img src="images/console/${name}-narrow.png" width="260" alt="${title} on a phone">\n` : ''}`;
  });
  return `# A tour of the console

The screens of the [console](console.md) with a month of data from a fictional shop. \`npm run docs:tour\` generates the data,
takes the pictures and writes this page.

${sections.join('\n')}`;
}
