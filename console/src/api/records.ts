import type { paths as Paths } from './schema.ts';

type ResponseOf<P extends keyof Paths> = Paths[P] extends {
  get: { responses: { 200: { content: { 'application/json': infer T } } } };
}
  ? T
  : never;
type ItemOf<P extends keyof Paths> = ResponseOf<P> extends { items: (infer T)[] } ? T : never;

export type Member = ResponseOf<'/console/v1/members/{memberId}'>;
export type Session = ItemOf<'/console/v1/sessions'>;
export type Supporter = ResponseOf<'/console/v1/members/{memberId}/impersonate'>['impersonations'][number];
export type ImpersonationOptions = ResponseOf<'/console/v1/impersonation'>;
export type ImpersonationTicket =
  Paths['/console/v1/members/{memberId}/impersonate']['post']['responses'][201]['content']['application/json'];
export type MemberImport = ItemOf<'/console/v1/members/import'>;
export type ImportReport = ResponseOf<'/console/v1/members/import/{jobId}'>;
export type Invitation = ItemOf<'/console/v1/invitations'>;
export type Role = ItemOf<'/console/v1/roles'>;
export type Permission = ItemOf<'/console/v1/permissions'>;
export type Organization = ResponseOf<'/console/v1/organizations/{organizationId}'>;
export type OrganizationPolicy = ResponseOf<'/console/v1/organizations/{organizationId}/policy'>;
export type OrganizationBranding = ResponseOf<'/console/v1/organizations/{organizationId}/branding'>;
export type BrandingImages = ResponseOf<'/console/v1/branding/images'>;
export type OrganizationMember = ItemOf<'/console/v1/organizations/{organizationId}/members'>;
export type OrganizationDomain = ItemOf<'/console/v1/organizations/{organizationId}/domains'>;
export type OrganizationConnection = ItemOf<'/console/v1/organizations/{organizationId}/connections'>;
export type TestSignIn =
  ResponseOf<'/console/v1/organizations/{organizationId}/connections/{connectionId}/test-sign-ins/{testSignInId}'>;
export type SetupLink = ItemOf<'/console/v1/organizations/{organizationId}/setup-links'>;
export type ScimToken = ItemOf<'/console/v1/organizations/{organizationId}/scim/tokens'>;
export type DirectoryGroup = ItemOf<'/console/v1/organizations/{organizationId}/scim/groups'>;
export type ProvisioningLogEntry = ItemOf<'/console/v1/organizations/{organizationId}/scim/log'>;
export type OrganizationRole = ItemOf<'/console/v1/organization-roles'>;
export type ResourceType = ResponseOf<'/console/v1/authorization/types/{typeKey}'>;
export type PermissionCheck =
  Paths['/console/v1/authorization/check']['post']['responses'][200]['content']['application/json'];
export type Api = ResponseOf<'/console/v1/apis/{id}'>;
export type Application = ResponseOf<'/console/v1/applications/{id}'>;
export type IdentityProvider = ResponseOf<'/console/v1/identity-providers/{providerId}'>;
export type Settings = ResponseOf<'/console/v1/settings'>;
export type MessageTemplate = ItemOf<'/console/v1/settings/messages'>;
export type Action = ResponseOf<'/console/v1/actions/{actionId}'>;
export type ActionTest =
  Paths['/console/v1/actions/{actionId}/test']['post']['responses'][200]['content']['application/json'];
export type Promotion = ResponseOf<'/console/v1/promotion'>;
export type PromotionChange = Promotion['changes'][number];
export type PromotionOutcome = Paths['/console/v1/promotion']['post']['responses'][200]['content']['application/json'];
export type LogStream = ResponseOf<'/console/v1/log-streams/{logStreamId}'>;
export type EventType = ItemOf<'/console/v1/webhooks/event-types'>;
export type WebhookEndpoint = ResponseOf<'/console/v1/webhooks/endpoints/{endpointId}'>;
export type Delivery = ItemOf<'/console/v1/delivery-log'>;
export type DeliveryDetail = ResponseOf<'/console/v1/webhooks/deliveries/{deliveryId}'>;
export type LoggedEvent = ItemOf<'/console/v1/event-log'>;
export type Overview = ResponseOf<'/console/v1/overview'>;
export type DomainRecord = ItemOf<'/console/v1/domains'>;
export type AuditEvent = ItemOf<'/console/v1/audit-log'>;
export type Names = ResponseOf<'/console/v1/audit-log'>['names'];
/** The memberships of the people in a log, by user id. */
export type Memberships = ResponseOf<'/console/v1/audit-log'>['members'];
export type SmsGuard = ResponseOf<'/console/v1/billing/addons/sms/guard'>;
export type SmsStatement = ItemOf<'/console/v1/billing/addons/sms/statements'>;
export type Incident = ItemOf<'/console/v1/status/incidents'>;
export type StatusComponent = ResponseOf<'/console/v1/status/components/{id}'>;
export type StatusTemplate = ResponseOf<'/console/v1/status/templates/{id}'>;
export type StatusGroup = ResponseOf<'/console/v1/status/groups/{id}'>;
export type StatusPage = ResponseOf<'/console/v1/status/page'>;
export type StatusSettings = ResponseOf<'/console/v1/status/settings'>;
export type Maintenance = ResponseOf<'/console/v1/status/maintenances/{id}'>;
export type TeamMember = ItemOf<'/console/v1/team'>;
export type TeamRole = TeamMember['role'];
export type MemberAccount = ResponseOf<'/console/v1/members/{memberId}/account'>;
export type WebhookStats = ResponseOf<'/console/v1/webhooks/endpoints/{endpointId}/stats'>;
export type Insight = ResponseOf<'/console/v1/insight'>;
type Previewing = Paths['/console/v1/status/preview']['post'];
export type Notice = Previewing['requestBody']['content']['application/json'];
export type NoticePreview = Previewing['responses'][200]['content']['application/json'];
