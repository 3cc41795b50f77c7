/** A screen of the console, and the permissions that it and its parts need. */
export type Screen = {
  path: string;
  title: string;
  /** The permission to open the screen. */
  needs?: string;
  /** Buttons and links that need a further permission. */
  actions?: Record<string, string>;
  /** The permission to change its fields. */
  edits?: string;
};

/** Neighbours have different titles, so that a new title proves that the next screen is shown. */
export const LISTS: readonly Screen[] = [
  { path: '', title: 'Overview' },
  {
    path: '/members',
    title: 'Members',
    needs: 'members:read',
    actions: {
      'Add member': 'members:write',
      Invite: 'invitations:write',
      Import: 'members:import',
      Export: 'members:import',
    },
  },
  { path: '/members/import', title: 'Import members', needs: 'members:import' },
  {
    path: '/invitations',
    title: 'Invitations',
    needs: 'invitations:read',
    actions: {
      'Invite a member': 'invitations:write',
      'Revoke the invitation to waiting@example.com': 'invitations:write',
    },
  },
  {
    path: '/roles',
    title: 'Roles and permissions',
    needs: 'roles:read',
    actions: { 'Add role': 'roles:write', 'Add permission': 'roles:write', 'More about Clerk': 'roles:write' },
  },
  { path: '/authorization', title: 'Authorization', needs: 'members:read' },
  {
    path: '/applications',
    title: 'Applications',
    needs: 'applications:read',
    actions: { 'Add application': 'applications:write' },
  },
  {
    path: '/authorization/types',
    title: 'Authorization',
    needs: 'roles:read',
    actions: { 'Add type': 'roles:write' },
  },
  { path: '/apis', title: 'APIs', needs: 'apis:read', actions: { 'Add API': 'apis:write' } },
  {
    path: '/authorization/relations',
    title: 'Authorization',
    needs: 'relations:read',
    actions: { 'Add relation': 'relations:write' },
  },
  { path: '/sign-in', title: 'Sign-in methods and policy', needs: 'settings:read', edits: 'settings:write' },
  {
    path: '/providers',
    title: 'Identity providers',
    needs: 'providers:read',
    actions: { 'Add provider': 'providers:write' },
  },
  { path: '/branding', title: 'Branding', needs: 'settings:read', edits: 'settings:write' },
  { path: '/messages', title: 'Messages', needs: 'settings:read' },
  { path: '/messages/verify_email', title: 'Verify email', needs: 'settings:read', edits: 'settings:write' },
  { path: '/messages/sent', title: 'Messages', needs: 'settings:read' },
  { path: '/domains', title: 'Domains', needs: 'domains:read', actions: { 'Add domain': 'domains:write' } },
  { path: '/webhooks', title: 'Webhooks', needs: 'webhooks:read', actions: { 'Add endpoint': 'webhooks:write' } },
  {
    path: '/actions',
    title: 'Actions',
    needs: 'actions:read',
    actions: { 'Add action': 'actions:write' },
  },
  {
    path: '/log-streams',
    title: 'Log streams',
    needs: 'log-streams:read',
    actions: { 'Add log stream': 'log-streams:write' },
  },
  { path: '/events', title: 'Event log', needs: 'events:read' },
  { path: '/webhooks/deliveries', title: 'Webhooks', needs: 'webhooks:read' },
  { path: '/audit', title: 'Audit log', needs: 'audit:read' },
  { path: '/webhooks/event-types', title: 'Webhooks', needs: 'webhooks:read' },
  { path: '/sms', title: 'SMS add-on', needs: 'billing:read', actions: { 'Subscribe to Growth': 'billing:write' } },
  { path: '/inbox', title: 'Dev inbox', needs: 'inbox:read' },
  { path: '/sms/guard', title: 'SMS add-on', needs: 'billing:read', edits: 'billing:write' },
  { path: '/status', title: 'Status', needs: 'status:read', actions: { 'Report an incident': 'status:write' } },
  { path: '/sms/statements', title: 'SMS add-on', needs: 'billing:read' },
  {
    path: '/promotion',
    title: 'Promotion',
    needs: 'settings:read',
    actions: { 'Choose all': 'settings:write' },
  },
  {
    path: '/settings',
    title: 'Project settings',
    needs: 'settings:read',
    edits: 'settings:write',
    actions: { 'Delete project…': 'projects:delete' },
  },
];
export const OF_THE_STATUS: readonly Screen[] = [
  {
    path: '/status/maintenance',
    title: 'Status',
    needs: 'status:read',
    actions: { 'Plan maintenance': 'status:write' },
  },
  {
    path: '/status/components',
    title: 'Status',
    needs: 'status:read',
    actions: { 'Add component': 'status:write', 'Add group': 'status:write' },
  },
  { path: '/status/templates', title: 'Status', needs: 'status:read', actions: { 'Add template': 'status:write' } },
  { path: '/status/subscribers', title: 'Status', needs: 'status:read' },
  { path: '/status/settings', title: 'Status', needs: 'status:read', edits: 'status:write' },
];
export const OF_THE_WORKSPACE: readonly Screen[] = [
  { path: '/projects', title: 'Projects', actions: { 'Add project': 'projects:write' } },
  { path: '/team', title: 'Team', needs: 'team:read', actions: { 'Invite to the team': 'team:write' } },
  {
    path: '/workspace',
    title: 'Workspace settings',
    edits: 'workspace:write',
    actions: { 'Delete workspace…': 'workspace:delete' },
  },
  {
    path: '/team/log-streams',
    title: 'Team',
    needs: 'team-log-streams:read',
    actions: { 'Add log stream': 'team-log-streams:write' },
  },
];
