import type { ComponentType } from 'react';
import {
  ActivityIcon,
  ApiIcon,
  ApplicationsIcon,
  AuditIcon,
  BrandingIcon,
  DomainIcon,
  InboxIcon,
  InvitationIcon,
  LockIcon,
  LogStreamIcon,
  MailIcon,
  MembersIcon,
  OrganizationIcon,
  OverviewIcon,
  ProjectIcon,
  ProviderIcon,
  RolesIcon,
  SettingsIcon,
  SignInIcon,
  SmsIcon,
  StatusIcon,
  TeamIcon,
  WebhookIcon,
  WorkspaceIcon,
} from '#ui/icons.ts';

type Icon = ComponentType<{ size?: number; 'aria-hidden'?: boolean }>;
export type Place = {
  label: string;
  /** Relative to the project's environment or to the workspace. */
  path: string;
  icon: Icon;
  /** Operators without this permission don't see the link. */
  permission?: string;
  developmentOnly?: true;
};
export type PlaceGroup = { name: string | null; places: readonly Place[] };

export const projectPlaces: readonly PlaceGroup[] = [
  { name: null, places: [{ label: 'Overview', path: '', icon: OverviewIcon }] },
  {
    name: 'People',
    places: [
      { label: 'Members', path: '/members', icon: MembersIcon, permission: 'members:read' },
      { label: 'Invitations', path: '/invitations', icon: InvitationIcon, permission: 'invitations:read' },
      { label: 'Organizations', path: '/organizations', icon: OrganizationIcon, permission: 'organizations:read' },
      { label: 'Roles', path: '/roles', icon: RolesIcon, permission: 'roles:read' },
      { label: 'Authorization', path: '/authorization', icon: LockIcon, permission: 'roles:read' },
    ],
  },
  {
    name: 'Sign-in',
    places: [
      { label: 'Applications', path: '/applications', icon: ApplicationsIcon, permission: 'applications:read' },
      { label: 'Methods and policy', path: '/sign-in', icon: SignInIcon, permission: 'settings:read' },
      { label: 'Identity providers', path: '/providers', icon: ProviderIcon, permission: 'providers:read' },
      { label: 'Branding', path: '/branding', icon: BrandingIcon, permission: 'settings:read' },
      { label: 'Messages', path: '/messages', icon: MailIcon, permission: 'settings:read' },
      { label: 'Domains', path: '/domains', icon: DomainIcon, permission: 'domains:read' },
    ],
  },
  {
    name: 'Build',
    places: [
      { label: 'APIs', path: '/apis', icon: ApiIcon, permission: 'apis:read' },
      { label: 'Webhooks', path: '/webhooks', icon: WebhookIcon, permission: 'webhooks:read' },
      { label: 'Event log', path: '/events', icon: ActivityIcon, permission: 'events:read' },
      { label: 'Audit log', path: '/audit', icon: AuditIcon, permission: 'audit:read' },
      { label: 'Log streams', path: '/log-streams', icon: LogStreamIcon, permission: 'log-streams:read' },
      { label: 'Dev inbox', path: '/inbox', icon: InboxIcon, permission: 'inbox:read', developmentOnly: true },
    ],
  },
  {
    name: 'Operate',
    places: [
      { label: 'SMS add-on', path: '/sms', icon: SmsIcon, permission: 'billing:read' },
      { label: 'Status', path: '/status', icon: StatusIcon, permission: 'status:read' },
      { label: 'Project settings', path: '/settings', icon: SettingsIcon, permission: 'settings:read' },
    ],
  },
];

export const workspacePlaces: readonly Place[] = [
  { label: 'Projects', path: '/projects', icon: ProjectIcon },
  { label: 'Team', path: '/team', icon: TeamIcon, permission: 'team:read' },
  { label: 'Workspace settings', path: '/workspace', icon: WorkspaceIcon },
];
