/**
 * Routes that this console uses and that an installation may not describe yet. What the generated description names wins
 * (`client.ts`), so an entry here falls silent the moment its route exists.
 */

type Json<T> = { headers: { [name: string]: unknown }; content: { 'application/json': T } };
type Nothing = { headers: { [name: string]: unknown }; content?: never };
type None = Record<never, never>;
type Parameters<P, Q> = { query?: Q; header?: never; path: P; cookie?: never };
type NoPath<Q> = { query?: Q; header?: never; path?: never; cookie?: never };
type Params<P, Q> = keyof P extends never ? NoPath<Q> : Parameters<P, Q>;
type Read<T, P = None, Q = None> = { parameters: Params<P, Q>; requestBody?: never; responses: { 200: Json<T> } };
type Write<B, T, P = None> = {
  parameters: Params<P, None>;
  requestBody: { content: { 'application/json': B } };
  responses: { 200: Json<T> };
};
type Act<T, P = None> = { parameters: Params<P, None>; requestBody?: never; responses: { 200: Json<T> } };
type Remove<P, Q = None> = { parameters: Params<P, Q>; requestBody?: never; responses: { 204: Nothing } };
type Paged = { limit?: number; cursor?: string };
type PageOf<T> = { items: T[]; nextCursor: string | null };
type Id = { id: string };
type OrNull<T> = T | null;

export type Environment = 'test' | 'production';
export type TeamRole = 'owner' | 'admin' | 'developer' | 'billing' | 'support' | 'analyst' | 'viewer';
type DomainRecord = {
  id: string;
  host: string;
  status: 'pending' | 'verified' | 'lost';
  verification: { type: 'TXT'; name: string; value: string };
  fault: OrNull<string>;
  checkedAt: OrNull<string>;
  verifiedAt: OrNull<string>;
  lostAt: OrNull<string>;
  createdAt: string;
};
type DomainId = { domainId: string };
type Place = { projectId: string; environment: Environment; purpose: 'auth' | 'api' };
type Binding = Place & { address: string; createdAt: string };

type ComponentStatus = 'operational' | 'degraded_performance' | 'partial_outage' | 'major_outage' | 'under_maintenance';
type Phase = 'investigating' | 'identified' | 'monitoring' | 'resolved';
type StatusComponent = {
  id: string;
  groupId: string;
  name: string;
  description: string;
  builtIn: boolean;
  shown: 'always' | 'when_degraded' | 'never';
  status: Exclude<ComponentStatus, 'under_maintenance'>;
  statusSince: string;
};
type Incident = {
  id: string;
  title: string;
  phase: Phase;
  severity: 'minor' | 'major' | 'critical';
  startedAt: string;
  updatedAt: string;
  resolvedAt: OrNull<string>;
  componentIds: string[];
  updates: { phase: Phase; body: string; at: string }[];
  draft: boolean;
  automatic: boolean;
};
type Maintenance = {
  id: string;
  title: string;
  phase: 'scheduled' | 'in_progress' | 'verifying' | 'completed';
  beginsAt: string;
  endsAt: string;
  componentIds: string[];
};
type Subscriber = { id: string; channel: 'email' | 'webhook'; address: string; state: string; createdAt: string };

export type Expected = {
  '/console/v1/domains': {
    get: Read<PageOf<DomainRecord>, None, Paged>;
    post: Write<{ host: string }, DomainRecord>;
  };
  '/console/v1/domains/{domainId}': { get: Read<DomainRecord, DomainId>; delete: Remove<DomainId> };
  '/console/v1/domains/{domainId}/verify': { post: Act<DomainRecord, DomainId> };
  '/console/v1/domains/{domainId}/bindings': {
    get: Read<PageOf<Binding>, DomainId>;
    post: Write<Place, Binding, DomainId>;
    delete: Remove<DomainId, { purpose: Place['purpose'] }>;
  };
  '/console/v1/status/components': { get: Read<PageOf<StatusComponent>> };
  '/console/v1/status/incidents': {
    get: Read<PageOf<Incident>, None, Paged>;
    post: Write<
      { title: string; body: string; phase?: Phase; severity: Incident['severity']; componentIds?: string[] },
      Incident
    >;
  };
  '/console/v1/status/incidents/{id}': { get: Read<Incident, Id> };
  '/console/v1/status/incidents/{id}/publish': { post: Act<Incident, Id> };
  '/console/v1/status/incidents/{id}/updates': { post: Write<{ phase: Phase; body: string }, Incident, Id> };
  '/console/v1/status/maintenances': {
    get: Read<PageOf<Maintenance>, None, Paged>;
    post: Write<{ title: string; body: string; componentIds: string[]; beginsAt: string; endsAt: string }, Maintenance>;
  };
  '/console/v1/status/subscribers': { get: Read<PageOf<Subscriber>, None, Paged> };
};
