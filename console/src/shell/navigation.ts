import type { ComponentType } from 'react';
import {
  ActionIcon,
  ActivityIcon,
  ApiIcon,
  ApplicationsIcon,
  AuditIcon,
  BrandingIcon,
  DomainIcon,
  InboxIcon,
  InsightIcon,
  InvitationIcon,
  LockIcon,
  LogStreamIcon,
  MailIcon,
  MembersIcon,
  OrganizationIcon,
  OverviewIcon,
  ProjectIcon,
  PromotionIcon,
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
  /** The page of the documentation about it, and the anchor in it. */
  docs: string;
  icon: Icon;
  /** Operators without this permission don't see the link. */
  permission?: string;
  developmentOnly?: true;
};
export type PlaceGroup = { name: string | null; places: readonly Place[] };

export const projectPlaces: readonly PlaceGroup[] = [
  {
    name: null,
    places: [
      { label: 'Overview', path: '', docs: 'console-tour#overview', icon: OverviewIcon },
      { label: 'Insight', path: '/insight', docs: 'console#insight', icon: InsightIcon, permission: 'events:read' },
    ],
  },
  {
    name: 'People',
    places: [
      { label: 'Members', path: '/members', docs: 'members', icon: MembersIcon, permission: 'members:read' },
      {
        label: 'Invitations',
        path: '/invitations',
        docs: 'sign-in-methods#invitations',
        icon: InvitationIcon,
        permission: 'invitations:read',
      },
      {
        label: 'Organizations',
        path: '/organizations',
        docs: 'organizations',
        icon: OrganizationIcon,
        permission: 'organizations:read',
      },
      {
        label: 'Roles',
        path: '/roles',
        docs: 'console-tour#roles-and-permissions',
        icon: RolesIcon,
        permission: 'roles:read',
      },
      {
        label: 'Authorization',
        path: '/authorization',
        docs: 'authorization',
        icon: LockIcon,
        permission: 'roles:read',
      },
    ],
  },
  {
    name: 'Sign-in',
    places: [
      {
        label: 'Applications',
        path: '/applications',
        docs: 'openid-connect#clients',
        icon: ApplicationsIcon,
        permission: 'applications:read',
      },
      {
        label: 'Methods and policy',
        path: '/sign-in',
        docs: 'sign-in-methods',
        icon: SignInIcon,
        permission: 'settings:read',
      },
      {
        label: 'Identity providers',
        path: '/providers',
        docs: 'sign-in-methods#social-and-enterprise-sign-in',
        icon: ProviderIcon,
        permission: 'providers:read',
      },
      {
        label: 'Branding',
        path: '/branding',
        docs: 'branding',
        icon: BrandingIcon,
        permission: 'settings:read',
      },
      {
        label: 'Messages',
        path: '/messages',
        docs: 'console-tour#a-message',
        icon: MailIcon,
        permission: 'settings:read',
      },
      { label: 'Domains', path: '/domains', docs: 'custom-domains', icon: DomainIcon, permission: 'domains:read' },
    ],
  },
  {
    name: 'Build',
    places: [
      { label: 'APIs', path: '/apis', docs: 'guides/api', icon: ApiIcon, permission: 'apis:read' },
      { label: 'Webhooks', path: '/webhooks', docs: 'webhooks', icon: WebhookIcon, permission: 'webhooks:read' },
      { label: 'Actions', path: '/actions', docs: 'actions', icon: ActionIcon, permission: 'actions:read' },
      { label: 'Event log', path: '/events', docs: 'webhooks#the-feed', icon: ActivityIcon, permission: 'events:read' },
      { label: 'Audit log', path: '/audit', docs: 'audit-log', icon: AuditIcon, permission: 'audit:read' },
      {
        label: 'Log streams',
        path: '/log-streams',
        docs: 'log-streams',
        icon: LogStreamIcon,
        permission: 'log-streams:read',
      },
      {
        label: 'Dev inbox',
        path: '/inbox',
        docs: 'install',
        icon: InboxIcon,
        permission: 'inbox:read',
        developmentOnly: true,
      },
    ],
  },
  {
    name: 'Operate',
    places: [
      { label: 'SMS add-on', path: '/sms', docs: 'sms', icon: SmsIcon, permission: 'billing:read' },
      { label: 'Status', path: '/status', docs: 'status', icon: StatusIcon, permission: 'status:read' },
      {
        label: 'Promotion',
        path: '/promotion',
        docs: 'configuration-as-code#in-the-console',
        icon: PromotionIcon,
        permission: 'settings:read',
      },
      {
        label: 'Project settings',
        path: '/settings',
        docs: 'console-tour#project-settings',
        icon: SettingsIcon,
        permission: 'settings:read',
      },
    ],
  },
];

export const workspacePlaces: readonly Place[] = [
  { label: 'Projects', path: '/projects', docs: 'concepts', icon: ProjectIcon },
  { label: 'Team', path: '/team', docs: 'console#the-team', icon: TeamIcon, permission: 'team:read' },
  { label: 'Workspace settings', path: '/workspace', docs: 'console-tour#workspace-settings', icon: WorkspaceIcon },
];
