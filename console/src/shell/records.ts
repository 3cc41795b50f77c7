import { useQuery } from '@tanstack/react-query';
import type { Client } from '#api/client.ts';
import type { Command } from './commands.ts';

type Found = { id: string; name: string; also?: string };
type Kind = {
  kind: string;
  permission: string;
  path: (id: string) => string;
  list: (client: Client) => Promise<readonly Found[]>;
};

const whole = { params: { query: { limit: 100 } } } as const;

/** The records that the palette finds by name or id: those that a project has few of. */
const KINDS: readonly Kind[] = [
  {
    kind: 'Application',
    permission: 'applications:read',
    path: (id) => `/applications/${id}`,
    list: async (client) =>
      (await client.GET('/console/v1/applications', whole)).data?.items.map(({ id, name, clientId }) => ({
        id,
        name,
        also: clientId,
      })) ?? [],
  },
  {
    kind: 'Webhook endpoint',
    permission: 'webhooks:read',
    path: (id) => `/webhooks/${id}`,
    list: async (client) =>
      (await client.GET('/console/v1/webhooks/endpoints', whole)).data?.items.map(({ id, url, description }) => ({
        id,
        name: url,
        also: description,
      })) ?? [],
  },
  {
    kind: 'API',
    permission: 'apis:read',
    path: (id) => `/apis/${id}`,
    list: async (client) =>
      (await client.GET('/console/v1/apis', whole)).data?.items.map(({ id, name, identifier }) => ({
        id,
        name,
        also: identifier,
      })) ?? [],
  },
  {
    kind: 'Organization',
    permission: 'organizations:read',
    path: (id) => `/organizations/${id}`,
    list: async (client) => (await client.GET('/console/v1/organizations', whole)).data?.items ?? [],
  },
  {
    kind: 'Identity provider',
    permission: 'providers:read',
    path: (id) => `/providers/${id}`,
    list: async (client) =>
      (await client.GET('/console/v1/identity-providers', whole)).data?.items.map(({ id, name }) => ({
        id,
        name,
      })) ?? [],
  },
  {
    kind: 'Role',
    permission: 'roles:read',
    path: () => '/roles',
    list: async (client) =>
      (await client.GET('/console/v1/roles', whole)).data?.items.map(({ id, key, name }) => ({
        id,
        name,
        also: key,
      })) ?? [],
  },
  {
    kind: 'Action',
    permission: 'actions:read',
    path: (id) => `/actions/${id}`,
    list: async (client) =>
      (await client.GET('/console/v1/actions', whole)).data?.items.map(({ id, name, url }) => ({
        id,
        name,
        also: url,
      })) ?? [],
  },
  {
    kind: 'Log stream',
    permission: 'log-streams:read',
    path: (id) => `/log-streams/${id}`,
    list: async (client) =>
      (await client.GET('/console/v1/log-streams', whole)).data?.items.map(({ id, name }) => ({ id, name })) ?? [],
  },
  {
    kind: 'Incident',
    permission: 'status:read',
    path: (id) => `/status/${id}`,
    list: async (client) =>
      (await client.GET('/console/v1/status/incidents', whole)).data?.items.map(({ id, title }) => ({
        id,
        name: title,
      })) ?? [],
  },
  {
    kind: 'Component of the status',
    permission: 'status:read',
    path: (id) => `/status/components/${id}`,
    list: async (client) =>
      (await client.GET('/console/v1/status/components', whole)).data?.items.map(({ id, name }) => ({ id, name })) ??
      [],
  },
  {
    kind: 'Domain',
    permission: 'domains:read',
    path: (id) => `/domains/${id}`,
    list: async (client) =>
      (await client.GET('/console/v1/domains', whole)).data?.items.map(({ id, host }) => ({ id, name: host })) ?? [],
  },
];

/** The screens of records by the prefix of their ids, to open one whose id is typed. */
const BY_PREFIX: Readonly<Record<string, readonly [kind: string, path: string, permission: string]>> = {
  mem: ['Member', '/members/', 'members:read'],
  org: ['Organization', '/organizations/', 'organizations:read'],
  whe: ['Webhook endpoint', '/webhooks/', 'webhooks:read'],
  dlv: ['Delivery', '/webhooks/deliveries/', 'webhooks:read'],
  inc: ['Incident', '/status/', 'status:read'],
  usr: ['Entries of the audit log about a person', '/audit?resource=', 'audit:read'],
  app: ['Application', '/applications/', 'applications:read'],
};

/** A record whose whole id is typed. */
export function recordOfId(base: string, typed: string, permissions: ReadonlySet<string>): Command[] {
  const [, prefix = ''] = /^([a-z]{3})_[0-9a-z]{26}$/.exec(typed.trim()) ?? [];
  const [kind, path, permission] = BY_PREFIX[prefix] ?? [];
  if (kind === undefined || path === undefined || permission === undefined || !permissions.has(permission)) return [];
  return [{ id: typed, label: typed.trim(), kind, to: `${base}${path}${typed.trim()}` }];
}

type Options = { client: Client; base: string; permissions: ReadonlySet<string>; enabled: boolean };

/** The records of the open project as commands; read once, when something is typed. */
export function useRecords({ client, base, permissions, enabled }: Options): readonly Command[] {
  const { data } = useQuery({
    queryKey: ['palette-records', base],
    staleTime: 60_000,
    enabled,
    queryFn: async () => {
      const kinds = KINDS.filter(({ permission }) => permissions.has(permission));
      const lists = await Promise.all(kinds.map(({ list }) => list(client).catch(() => [])));
      return kinds.flatMap(({ kind, path }, index) =>
        (lists[index] ?? []).map(({ id, name, also = '' }) => ({
          id,
          label: name,
          kind,
          also: `${id} ${also}`,
          to: `${base}${path(id)}`,
        })),
      );
    },
  });
  return data ?? [];
}
