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
  /** Shown on a phone, too. */
  narrow?: true;
};

/** The screens of the tour, with the records that there are now. */
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
      'What happened in the project and environment that the frame names: sign-ins and those that failed, people, webhook deliveries.',
      { narrow: true },
    ),
    stop(
      'members',
      '/members',
      'Members',
      'Everybody in the project. The search finds any part of a name or address; filters are in the address of the page.',
      { narrow: true },
    ),
    stop(
      'member',
      `/members/${member}`,
      'One member',
      'Addresses, roles, where they are signed in and what happened to them; block, reset, sign out, remove.',
      { narrow: true },
    ),
    stop(
      'import',
      '/members/import',
      'Importing members',
      'A file from another system, with the passwords people have; tried first, then imported.',
    ),
    stop(
      'import-report',
      `/members/import/${members}`,
      'What became of an import',
      'Each row with its outcome, and those that failed as a file to mend and send again.',
    ),
    stop(
      'roles',
      '/roles',
      'Roles and permissions',
      'Which role may do what. Built-in roles stay as they are; your own are edited here.',
    ),
  ];
}

function ofSignIn({ application }: { application: string }): Stop[] {
  return [
    stop(
      'application',
      `/applications/${application}`,
      'An application',
      'Its client id, code to begin with, secrets and redirect addresses.',
    ),
    stop(
      'sign-in',
      '/sign-in',
      'Sign-in methods and policy',
      'How people get in, and the rules for passwords, second factors and sessions.',
    ),
    stop('branding', '/branding', 'Branding', 'The look of the hosted pages, beside the real page as it will be.'),
    stop(
      'message',
      '/messages/verify_email',
      'A message',
      'The words of each mail and text message in each language, with a preview.',
    ),
  ];
}

type Operation = { endpoint: string; delivery: string; domain: string; incident: string };

function ofOperation({ endpoint, delivery, domain, incident }: Operation): Stop[] {
  return [
    stop('domain', `/domains/${domain}`, 'A domain', 'The record that proves it is yours, and what it serves.'),
    stop(
      'endpoint',
      `/webhooks/${endpoint}`,
      'A webhook endpoint',
      'How deliveries went, what is sent to it, and the latest of them.',
    ),
    stop(
      'delivery',
      `/webhooks/deliveries/${delivery}`,
      'A delivery',
      'Each attempt with what came back, and the payload as it was signed and sent.',
      { narrow: true },
    ),
    stop('events', '/events', 'Event log', 'Everything that happened, with its data.'),
    stop('audit', '/audit', 'Audit log', 'Who changed what, in a chain that shows tampering, with export.', {
      narrow: true,
    }),
    stop('sms', '/sms', 'SMS add-on', 'The tier, what is used of it, and the ledger. In production, where it counts.', {
      environment: 'production',
    }),
    stop(
      'sms-guard',
      '/sms/guard',
      'The SMS guard',
      'Countries, kinds of numbers and limits that hold back messages nobody waits for.',
      { environment: 'production' },
    ),
    stop(
      'status',
      '/status',
      'Status',
      'Incidents, components, maintenance and subscribers, for those who run the installation.',
      { narrow: true },
    ),
    stop(
      'status-components',
      '/status/components',
      'Components of the status',
      'What the public page lists, in groups and in the order it is shown.',
    ),
    stop(
      'status-settings',
      '/status/settings',
      'Settings of the status',
      'Where it can be read, and what happens by itself when a component fails.',
    ),
    stop('incident', `/status/${incident}`, 'An incident', 'What the public was told, and the next update.'),
  ];
}

function ofWorkspace(): Stop[] {
  return [
    stop('settings', '/settings', 'Project settings', 'Its name, addresses and languages, in each environment.'),
    stop(
      'workspace',
      '/workspace',
      'Workspace settings',
      'Its name, and the way to delete it; an owner can restore it within seven days.',
      { ofWorkspace: true },
    ),
    stop('team', '/team', 'Team', 'Who works here, with which role.', { ofWorkspace: true, narrow: true }),
  ];
}

// biome-ignore lint/complexity/useMaxParams: reads as a line of a table
function stop(name: string, path: string, title: string, text: string, more: Partial<Stop> = {}): Stop {
  return { name, path, title, text, ...more };
}

/** docs/console-tour.md */
export function tourText(stops: readonly Stop[]): string {
  const sections = stops.map(({ name, title, text, narrow }) => {
    const wide = `![${title}](images/console/${name}.png)`;
    return `## ${title}\n\n${text}\n\n${wide}\n${narrow ? `\nOn a phone, at night:\n\n<img src="images/console/${name}-narrow.png" width="260" alt="${title} on a phone">\n` : ''}`;
  });
  return `# A tour of the console

The screens of the [console](console.md) after a month of a made-up shop. \`npm run docs:tour\` lets that month pass in a Latchkey of its
own, takes these pictures and writes this page.

${sections.join('\n')}`;
}
