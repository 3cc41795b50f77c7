# Made from the OpenAPI description by sdk/languages. Change that instead.
"""The operations of Latchkey's API host, one method each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from . import models
from .client import Client


class Operations(Client):
    def list_actions(self, *, limit: int | None = None) -> Iterator[models.Action]:
        """List actions."""
        return self.pages("/v1/admin/actions", {}, query={"limit": limit})

    def add_action(self, body: models.AddActionRequest, *, idempotency_key: str | None = None) -> models.ActionWithSecret:
        """Add an action.

        Latchkey calls the address at its moment and waits for the answer. Up to 20 per project environment. The response contains the signing secret, which is shown only once.
        """
        return self.call("POST", "/v1/admin/actions", {}, body=body, idempotency_key=idempotency_key, keyed=True)

    def remove_action(self, action_id: str, *, if_match: str | None = None) -> None:
        """Remove an action.

        Its log is removed with it.
        """
        return self.call("DELETE", "/v1/admin/actions/{actionId}", {"actionId": action_id}, if_match=if_match)

    def read_action(self, action_id: str) -> models.Action:
        """Read an action."""
        return self.call("GET", "/v1/admin/actions/{actionId}", {"actionId": action_id})

    def change_action(self, action_id: str, body: models.ChangeActionRequest | None = None, *, if_match: str | None = None) -> models.Action:
        """Change an action."""
        return self.call("PATCH", "/v1/admin/actions/{actionId}", {"actionId": action_id}, body=body, if_match=if_match)

    def list_last_calls_of_action(self, action_id: str, *, limit: int | None = None) -> Iterator[models.ActionCall]:
        """List the last calls of an action.

        Newest first, the last 500. Bodies and answers are not kept, because they are about people.
        """
        return self.pages("/v1/admin/actions/{actionId}/calls", {"actionId": action_id}, query={"limit": limit})

    def rotate_secret_of_action(self, action_id: str, body: models.RotateSecretOfActionRequest | None = None, *, idempotency_key: str | None = None) -> models.ActionWithSecret:
        """Rotate the secret of an action.

        While both secrets are valid, every call has a signature of each.
        """
        return self.call("POST", "/v1/admin/actions/{actionId}/secret/rotate", {"actionId": action_id}, body=body, idempotency_key=idempotency_key, keyed=True)

    def test_action(self, action_id: str, *, idempotency_key: str | None = None) -> models.ActionTest:
        """Test an action.

        Calls the action with an example, also while it is disabled, and returns the request and the answer. The body has `dryRun: true`.
        """
        return self.call("POST", "/v1/admin/actions/{actionId}/test", {"actionId": action_id}, idempotency_key=idempotency_key, keyed=True)

    def list_apis(self, *, limit: int | None = None) -> Iterator[models.Api]:
        """List APIs."""
        return self.pages("/v1/admin/apis", {}, query={"limit": limit})

    def add_api(self, body: models.AddApiRequest, *, idempotency_key: str | None = None) -> models.Api:
        """Add an API.

        Applications get tokens for it when it is granted to them (`apis` of an application).
        """
        return self.call("POST", "/v1/admin/apis", {}, body=body, idempotency_key=idempotency_key, keyed=True)

    def remove_api(self, id_: str, *, if_match: str | None = None) -> None:
        """Remove an API.

        No further tokens are issued for it; those already issued are valid until they expire.
        """
        return self.call("DELETE", "/v1/admin/apis/{id}", {"id": id_}, if_match=if_match)

    def read_api(self, id_: str) -> models.Api:
        """Read an API."""
        return self.call("GET", "/v1/admin/apis/{id}", {"id": id_})

    def change_api(self, id_: str, body: models.ChangeApiRequest | None = None, *, if_match: str | None = None) -> models.Api:
        """Change an API.

        A scope that is left out of `scopes` ends for every application and every consent; one that is added again has to be granted again.
        """
        return self.call("PATCH", "/v1/admin/apis/{id}", {"id": id_}, body=body, if_match=if_match)

    def list_applications(self, *, limit: int | None = None, api_id: str | None = None) -> Iterator[models.Application]:
        """List applications."""
        return self.pages("/v1/admin/applications", {}, query={"limit": limit, "apiId": api_id})

    def add_application(self, body: models.AddApplicationRequest, *, idempotency_key: str | None = None) -> models.AddApplicationResponse:
        """Add an application."""
        return self.call("POST", "/v1/admin/applications", {}, body=body, idempotency_key=idempotency_key, keyed=True)

    def list_registration_tokens(self, *, limit: int | None = None) -> Iterator[models.RegistrationToken]:
        """List registration tokens."""
        return self.pages("/v1/admin/applications/registration-tokens", {}, query={"limit": limit})

    def issue_registration_token(self, body: models.IssueRegistrationTokenRequest, *, idempotency_key: str | None = None) -> models.IssueRegistrationTokenResponse:
        """Issue a registration token.

        An initial access token for `POST /connect/register` on the auth host. The setting `dynamicRegistration` must allow it.
        """
        return self.call("POST", "/v1/admin/applications/registration-tokens", {}, body=body, idempotency_key=idempotency_key, keyed=True)

    def remove_registration_token(self, id_: str, *, if_match: str | None = None) -> None:
        """Remove a registration token.

        It registers no further applications; those registered with it stay.
        """
        return self.call("DELETE", "/v1/admin/applications/registration-tokens/{id}", {"id": id_}, if_match=if_match)

    def read_registration_token(self, id_: str) -> models.RegistrationToken:
        """Read a registration token."""
        return self.call("GET", "/v1/admin/applications/registration-tokens/{id}", {"id": id_})

    def remove_application(self, id_: str, *, if_match: str | None = None) -> None:
        """Remove an application.

        Its tokens end immediately.
        """
        return self.call("DELETE", "/v1/admin/applications/{id}", {"id": id_}, if_match=if_match)

    def read_application(self, id_: str) -> models.Application:
        """Read an application."""
        return self.call("GET", "/v1/admin/applications/{id}", {"id": id_})

    def change_application(self, id_: str, body: models.ChangeApplicationRequest | None = None, *, if_match: str | None = None) -> models.Application:
        """Change an application.

        Disabling it, or changing permissions or keys, ends its tokens immediately.
        """
        return self.call("PATCH", "/v1/admin/applications/{id}", {"id": id_}, body=body, if_match=if_match)

    def add_secret(self, id_: str, *, idempotency_key: str | None = None) -> models.AddSecretResponse:
        """Add a secret.

        Two can be active, so that you can deploy a new one before you remove the old one.
        """
        return self.call("POST", "/v1/admin/applications/{id}/secrets", {"id": id_}, idempotency_key=idempotency_key, keyed=True)

    def remove_secret(self, id_: str, secret_id: str, *, if_match: str | None = None) -> None:
        """Remove a secret.

        The application's tokens end immediately.
        """
        return self.call("DELETE", "/v1/admin/applications/{id}/secrets/{secretId}", {"id": id_, "secretId": secret_id}, if_match=if_match)

    def search_audit_log(self, *, limit: int | None = None, actor: str | None = None, action: str | None = None, resource: str | None = None, since: str | None = None, until: str | None = None) -> Iterator[models.AuditEvent]:
        """Search the audit log.

        Newest first. Every event of the project environment is in it, within a second.
        """
        return self.pages("/v1/admin/audit-events", {}, query={"limit": limit, "actor": actor, "action": action, "resource": resource, "since": since, "until": until})

    def list_signed_checkpoints_of_audit_log(self, *, limit: int | None = None, cursor: str | None = None) -> models.ListSignedCheckpointsOfAuditLogResponse:
        """List signed checkpoints of the audit log.

        Newest first; one per hour with events. Store them elsewhere: entries they cover cannot be rewritten unnoticed.
        """
        return self.call("GET", "/v1/admin/audit-events/checkpoints", {}, query={"limit": limit, "cursor": cursor})

    def export_audit_log(self, *, since: str | None = None, until: str | None = None, format_: Literal["json", "csv"] | None = None) -> str:
        """Export the audit log.

        Every entry of the range in order, followed by a signed seal. `latchkey audit verify FILE` proves that the file is complete and unaltered.
        """
        return self.call("GET", "/v1/admin/audit-events/export", {}, query={"since": since, "until": until, "format": format_})

    def check_permission_of_member(self, body: models.CheckPermissionOfMemberRequest, *, idempotency_key: str | None = None) -> models.PermissionCheck:
        """Check a permission of a member.

        Says whether the member, named by `userId` or `memberId`, has the permission now: in the project, in the organization `organizationId`, or on `resource`; with every path that grants it, or why not.
        """
        return self.call("POST", "/v1/admin/authorization/check", {}, body=body, idempotency_key=idempotency_key, keyed=True)

    def check_up_to_hundred_permissions(self, body: models.CheckUpToHundredPermissionsRequest, *, idempotency_key: str | None = None) -> models.CheckUpToHundredPermissionsResponse:
        """Check up to a hundred permissions.

        All checks see the same moment or a later one; the responses are in the order of `checks`.
        """
        return self.call("POST", "/v1/admin/authorization/check-batch", {}, body=body, idempotency_key=idempotency_key, keyed=True)

    def list_relations(self, *, limit: int | None = None, resource: str | None = None, type_: str | None = None, relation: str | None = None, subject: str | None = None) -> Iterator[models.Relation]:
        """List relations.

        Those of `resource`, of `subject`, of all resources of `type`, or all. Expired ones are left out.
        """
        return self.pages("/v1/admin/authorization/relations", {}, query={"limit": limit, "resource": resource, "type": type_, "relation": relation, "subject": subject})

    def write_and_delete_relations(self, body: models.WriteAndDeleteRelationsRequest | None = None, *, idempotency_key: str | None = None) -> models.WriteAndDeleteRelationsResponse:
        """Write and delete relations.

        All or none, up to a thousand of each. Writing a relation that is stored, and deleting one that is not, changes nothing. A check that begins after the response sees the result.
        """
        return self.call("POST", "/v1/admin/authorization/relations", {}, body=body, idempotency_key=idempotency_key, keyed=True)

    def list_resources_on_which_person_has_permission(self, *, limit: int | None = None, cursor: str | None = None, user_id: str, permission: str, type_: str, organization_id: str | None = None) -> models.ListResourcesOnWhichPersonHasPermissionResponse:
        """List the resources on which a person has a permission.

        The resources of one type, in the order of their ids. `everything`: a role of the project grants the permission on all resources, so none is listed.
        """
        return self.call("GET", "/v1/admin/authorization/resources", {}, query={"limit": limit, "cursor": cursor, "userId": user_id, "permission": permission, "type": type_, "organizationId": organization_id})

    def list_who_has_permission_on_resource(self, *, limit: int | None = None, resource: str, permission: str) -> Iterator[models.ListWhoHasPermissionOnResourceItem]:
        """List who has a permission on a resource.

        By relations to the resource or to one above it, in the order of subjects: people who are active members, organizations and groups. People who have the permission by a role of the project are not listed.
        """
        return self.pages("/v1/admin/authorization/subjects", {}, query={"limit": limit, "resource": resource, "permission": permission})

    def list_resource_types(self, *, limit: int | None = None) -> Iterator[models.ResourceType]:
        """List resource types."""
        return self.pages("/v1/admin/authorization/types", {}, query={"limit": limit})

    def add_resource_type(self, body: models.AddResourceTypeRequest, *, idempotency_key: str | None = None) -> models.ResourceType:
        """Add a resource type."""
        return self.call("POST", "/v1/admin/authorization/types", {}, body=body, idempotency_key=idempotency_key, keyed=True)

    def remove_resource_type_with_its_relations(self, type_key: str, *, if_match: str | None = None) -> None:
        """Remove a resource type with its relations.

        While another type names it as a parent, or it has more than 10,000 relations: 409 `CONFLICT`.
        """
        return self.call("DELETE", "/v1/admin/authorization/types/{typeKey}", {"typeKey": type_key}, if_match=if_match)

    def read_resource_type(self, type_key: str) -> models.ResourceType:
        """Read a resource type."""
        return self.call("GET", "/v1/admin/authorization/types/{typeKey}", {"typeKey": type_key})

    def change_resource_type(self, type_key: str, body: models.ChangeResourceTypeRequest | None = None, *, if_match: str | None = None) -> models.ResourceType:
        """Change a resource type.

        `relations` and `parents` are replaced as a whole. What stored relations need is not removed: 409 `CONFLICT`.
        """
        return self.call("PATCH", "/v1/admin/authorization/types/{typeKey}", {"typeKey": type_key}, body=body, if_match=if_match)

    def cancel_sms_add_on(self, body: models.CancelSmsAddOnRequest | None = None, *, idempotency_key: str | None = None) -> models.SmsAddOn:
        """Cancel the SMS add-on."""
        return self.call("POST", "/v1/admin/billing/addons/sms/cancel", {}, body=body, idempotency_key=idempotency_key, keyed=True)

    def read_rules_against_sms_pumping(self) -> models.SmsGuardRules:
        """Read the rules against SMS pumping."""
        return self.call("GET", "/v1/admin/billing/addons/sms/guard", {})

    def change_rules_against_sms_pumping(self, body: models.ChangeRulesAgainstSmsPumpingRequest | None = None, *, if_match: str | None = None) -> models.SmsGuardRules:
        """Change the rules against SMS pumping.

        Effective with the next message.
        """
        return self.call("PATCH", "/v1/admin/billing/addons/sms/guard", {}, body=body, if_match=if_match)

    def list_blocked_ranges_of_numbers(self, *, limit: int | None = None) -> Iterator[models.ListBlockedRangesOfNumbersItem]:
        """List blocked ranges of numbers."""
        return self.pages("/v1/admin/billing/addons/sms/guard/blocks", {}, query={"limit": limit})

    def unblock_range_of_numbers(self, prefix: str, *, if_match: str | None = None) -> None:
        """Unblock a range of numbers."""
        return self.call("DELETE", "/v1/admin/billing/addons/sms/guard/blocks/{prefix}", {"prefix": prefix}, if_match=if_match)

    def read_blocked_range_of_numbers(self, prefix: str) -> models.ReadBlockedRangeOfNumbersResponse:
        """Read a blocked range of numbers."""
        return self.call("GET", "/v1/admin/billing/addons/sms/guard/blocks/{prefix}", {"prefix": prefix})

    def withdraw_cancellation_of_sms_add_on(self, body: dict[str, Any] | None = None, *, idempotency_key: str | None = None) -> models.SmsAddOn:
        """Withdraw the cancellation of the SMS add-on."""
        return self.call("POST", "/v1/admin/billing/addons/sms/resume", {}, body=body, idempotency_key=idempotency_key, keyed=True)

    def list_statements_of_sms_add_on(self, *, limit: int | None = None) -> Iterator[models.SmsStatement]:
        """List the statements of the SMS add-on.

        One for each past period.
        """
        return self.pages("/v1/admin/billing/addons/sms/statements", {}, query={"limit": limit})

    def read_statement_of_sms_add_on(self, statement_id: str) -> models.SmsStatement:
        """Read a statement of the SMS add-on."""
        return self.call("GET", "/v1/admin/billing/addons/sms/statements/{statementId}", {"statementId": statement_id})

    def read_status_of_sms_add_on(self) -> models.SmsAddOn:
        """Read the status of the SMS add-on."""
        return self.call("GET", "/v1/admin/billing/addons/sms/status", {})

    def subscribe_to_sms_add_on_or_change_its_tier(self, body: models.SubscribeToSmsAddOnOrChangeItsTierRequest, *, idempotency_key: str | None = None) -> models.SubscribeToSmsAddOnOrChangeItsTierResponse:
        """Subscribe to the SMS add-on, or change its tier.

        A larger tier applies immediately and costs the difference for the rest of the period; a smaller one applies from the next period. Choosing the current tier cancels a scheduled change or cancellation.
        """
        return self.call("POST", "/v1/admin/billing/addons/sms/subscribe", {}, body=body, idempotency_key=idempotency_key, keyed=True)

    def list_tiers_of_sms_add_on(self, *, limit: int | None = None) -> Iterator[models.SmsTier]:
        """List the tiers of the SMS add-on."""
        return self.pages("/v1/admin/billing/addons/sms/tiers", {}, query={"limit": limit})

    def list_usage_of_sms_add_on(self, *, limit: int | None = None, period_id: str | None = None) -> Iterator[models.ListUsageOfSmsAddOnItem]:
        """List the usage of the SMS add-on.

        The ledger, newest first: one entry for every segment that a carrier accepted, every charge and every payment.
        """
        return self.pages("/v1/admin/billing/addons/sms/usage", {}, query={"limit": limit, "periodId": period_id})

    def check_style_sheet(self, body: models.CheckStyleSheetRequest, *, idempotency_key: str | None = None) -> models.CheckedStyleSheet:
        """Check a style sheet.

        Says what a save of `branding.css` would refuse, with these colours of the brand or the saved ones. Changes nothing.
        """
        return self.call("POST", "/v1/admin/branding/css/check", {}, body=body, idempotency_key=idempotency_key, keyed=True)

    def read_uploaded_images_of_branding(self) -> models.BrandingImages:
        """Read the uploaded images of the branding."""
        return self.call("GET", "/v1/admin/branding/images", {})

    def remove_image_of_branding(self, use: str, *, if_match: str | None = None) -> models.BrandingImages:
        """Remove an image of the branding."""
        return self.call("DELETE", "/v1/admin/branding/images/{use}", {"use": use}, if_match=if_match)

    def upload_image_of_branding(self, use: str, body: models.UploadImageOfBrandingRequest, *, if_match: str | None = None) -> models.BrandingImages:
        """Upload an image of the branding.

        Shown on hosted pages, the status page and in mails in place of `branding.logoUrl`: `darkLogo` in the dark theme, if there is a logo; `favicon` in the tabs of browsers.
        """
        return self.call("PUT", "/v1/admin/branding/images/{use}", {"use": use}, body=body, if_match=if_match)

    def list_domains(self, *, limit: int | None = None) -> Iterator[models.Domain]:
        """List domains."""
        return self.pages("/v1/admin/domains", {}, query={"limit": limit})

    def add_domain(self, body: models.AddDomainRequest, *, idempotency_key: str | None = None) -> models.Domain:
        """Add a domain.

        Returns the TXT record that proves ownership. Up to 50 per project environment. A host that another project has verified cannot be added.
        """
        return self.call("POST", "/v1/admin/domains", {}, body=body, idempotency_key=idempotency_key, keyed=True)

    def remove_domain(self, domain_id: str, *, if_match: str | None = None) -> None:
        """Remove a domain.

        Removes its bindings too, so the domain serves nothing from then on. If it is added again, it needs another TXT record.
        """
        return self.call("DELETE", "/v1/admin/domains/{domainId}", {"domainId": domain_id}, if_match=if_match)

    def read_domain(self, domain_id: str) -> models.Domain:
        """Read a domain."""
        return self.call("GET", "/v1/admin/domains/{domainId}", {"domainId": domain_id})

    def unbind_domain(self, domain_id: str, *, purpose: Literal["auth", "api", "status"], project_id: str | None = None, environment: Literal["test", "production", "prod"] | None = None, if_match: str | None = None) -> None:
        """Unbind a domain."""
        return self.call("DELETE", "/v1/admin/domains/{domainId}/bindings", {"domainId": domain_id}, query={"purpose": purpose, "projectId": project_id, "environment": environment}, if_match=if_match)

    def list_bindings_of_domain(self, domain_id: str, *, limit: int | None = None) -> Iterator[models.DomainBinding]:
        """List the bindings of a domain."""
        return self.pages("/v1/admin/domains/{domainId}/bindings", {"domainId": domain_id}, query={"limit": limit})

    def bind_domain(self, domain_id: str, body: models.BindDomainRequest, *, idempotency_key: str | None = None) -> models.DomainBinding:
        """Bind a domain.

        Makes it an address of its project environment immediately: for `auth`, `api`, or `status`, the status page of the project. An auth address is an issuer of its own.
        """
        return self.call("POST", "/v1/admin/domains/{domainId}/bindings", {"domainId": domain_id}, body=body, idempotency_key=idempotency_key, keyed=True)

    def verify_domain(self, domain_id: str, *, idempotency_key: str | None = None) -> models.Domain:
        """Verify a domain.

        Looks the TXT record up now. Up to ten times a minute.
        """
        return self.call("POST", "/v1/admin/domains/{domainId}/verify", {"domainId": domain_id}, idempotency_key=idempotency_key, keyed=True)

    def read_event_feed(self, *, after: str | None = None, types: str | None = None, limit: int | None = None, cursor: str | None = None, wait: int | None = None) -> models.ReadEventFeedResponse:
        """Read the event feed.

        Every event of the project environment, in an order that never changes: an event that commits late appears at the end, never before one that was already read. Store `nextAfter` and continue with it to miss nothing. `cursor` takes precedence over `after`.
        """
        return self.call("GET", "/v1/admin/events", {}, query={"after": after, "types": types, "limit": limit, "cursor": cursor, "wait": wait})

    def emit_example_event(self, body: models.EmitExampleEventRequest, *, idempotency_key: str | None = None) -> models.EmitExampleEventResponse:
        """Emit an example event.

        Writes an event with example data into the log, marked `example`, so that receivers can be tried. Test environment only.
        """
        return self.call("POST", "/v1/admin/events", {}, body=body, idempotency_key=idempotency_key, keyed=True)

    def list_identity_providers(self, *, limit: int | None = None) -> Iterator[models.IdentityProvider]:
        """List identity providers."""
        return self.pages("/v1/admin/identity-providers", {}, query={"limit": limit})

    def add_identity_provider(self, body: models.AddIdentityProviderRequest, *, idempotency_key: str | None = None) -> models.IdentityProvider:
        """Add an identity provider."""
        return self.call("POST", "/v1/admin/identity-providers", {}, body=body, idempotency_key=idempotency_key, keyed=True)

    def remove_identity_provider(self, provider_id: str, *, if_match: str | None = None) -> None:
        """Remove an identity provider."""
        return self.call("DELETE", "/v1/admin/identity-providers/{providerId}", {"providerId": provider_id}, if_match=if_match)

    def read_identity_provider(self, provider_id: str) -> models.IdentityProvider:
        """Read an identity provider."""
        return self.call("GET", "/v1/admin/identity-providers/{providerId}", {"providerId": provider_id})

    def change_identity_provider(self, provider_id: str, body: models.ChangeIdentityProviderRequest | None = None, *, if_match: str | None = None) -> models.IdentityProvider:
        """Change an identity provider."""
        return self.call("PATCH", "/v1/admin/identity-providers/{providerId}", {"providerId": provider_id}, body=body, if_match=if_match)

    def test_identity_provider(self, provider_id: str, *, idempotency_key: str | None = None) -> models.TestIdentityProviderResponse:
        """Test an identity provider.

        Checks that the provider responds as configured; signs nobody in.
        """
        return self.call("POST", "/v1/admin/identity-providers/{providerId}/test", {"providerId": provider_id}, idempotency_key=idempotency_key, keyed=True)

    def read_how_to_act_as_members(self) -> models.ImpersonationOptions:
        """Read how to act as members."""
        return self.call("GET", "/v1/admin/impersonation", {})

    def read_how_people_sign_in_register_and_return(self, *, days: int | None = None) -> models.Insight:
        """Read how people sign in, register and return.

        Counted from the event log, at most a second behind it.
        """
        return self.call("GET", "/v1/admin/insight", {}, query={"days": days})

    def list_invitations(self, *, limit: int | None = None, status: Literal["pending", "accepted", "revoked", "expired", "declined"] | None = None, organization_id: str | None = None) -> Iterator[models.Invitation]:
        """List invitations."""
        return self.pages("/v1/admin/invitations", {}, query={"limit": limit, "status": status, "organizationId": organization_id})

    def invite_person(self, body: models.InvitePersonRequest, *, idempotency_key: str | None = None) -> models.Invitation:
        """Invite a person."""
        return self.call("POST", "/v1/admin/invitations", {}, body=body, idempotency_key=idempotency_key, keyed=True)

    def revoke_invitation(self, invitation_id: str, *, if_match: str | None = None) -> None:
        """Revoke an invitation."""
        return self.call("DELETE", "/v1/admin/invitations/{invitationId}", {"invitationId": invitation_id}, if_match=if_match)

    def read_invitation(self, invitation_id: str) -> models.Invitation:
        """Read an invitation."""
        return self.call("GET", "/v1/admin/invitations/{invitationId}", {"invitationId": invitation_id})

    def resend_invitation(self, invitation_id: str, *, idempotency_key: str | None = None) -> models.Invitation:
        """Resend an invitation."""
        return self.call("POST", "/v1/admin/invitations/{invitationId}/resend", {"invitationId": invitation_id}, idempotency_key=idempotency_key, keyed=True)

    def list_log_streams(self, *, limit: int | None = None) -> Iterator[models.LogStream]:
        """List log streams."""
        return self.pages("/v1/admin/log-streams", {}, query={"limit": limit})

    def add_log_stream(self, body: models.AddLogStreamRequest, *, idempotency_key: str | None = None) -> models.LogStream:
        """Add a log stream.

        Sends the audit log of the project environment, which has one entry per event, to another system: in order, at least once. A project environment has up to ten log streams.
        """
        return self.call("POST", "/v1/admin/log-streams", {}, body=body, idempotency_key=idempotency_key, keyed=True)

    def remove_log_stream(self, log_stream_id: str, *, if_match: str | None = None) -> None:
        """Remove a log stream."""
        return self.call("DELETE", "/v1/admin/log-streams/{logStreamId}", {"logStreamId": log_stream_id}, if_match=if_match)

    def read_log_stream_with_its_lag(self, log_stream_id: str) -> models.LogStream:
        """Read a log stream with its lag."""
        return self.call("GET", "/v1/admin/log-streams/{logStreamId}", {"logStreamId": log_stream_id})

    def change_log_stream(self, log_stream_id: str, body: models.ChangeLogStreamRequest | None = None, *, if_match: str | None = None) -> models.LogStream:
        """Change a log stream.

        An address of another origin needs the secret again, and so does another `caCertificate`, except for `syslog`.
        """
        return self.call("PATCH", "/v1/admin/log-streams/{logStreamId}", {"logStreamId": log_stream_id}, body=body, if_match=if_match)

    def list_last_faults_of_log_stream(self, log_stream_id: str, *, limit: int | None = None) -> Iterator[models.LogStreamFault]:
        """List the last faults of a log stream.

        Newest first: the last hundred failed requests, and the last hundred entries that were skipped.
        """
        return self.pages("/v1/admin/log-streams/{logStreamId}/faults", {"logStreamId": log_stream_id}, query={"limit": limit})

    def pause_log_stream(self, log_stream_id: str, *, idempotency_key: str | None = None) -> models.LogStream:
        """Pause a log stream.

        Entries wait until it is resumed.
        """
        return self.call("POST", "/v1/admin/log-streams/{logStreamId}/pause", {"logStreamId": log_stream_id}, idempotency_key=idempotency_key, keyed=True)

    def resume_log_stream(self, log_stream_id: str, body: models.ResumeLogStreamRequest | None = None, *, idempotency_key: str | None = None) -> models.LogStream:
        """Resume a log stream.

        The stream continues after the last entry that it sent, or where `from` says. With `from`, it need not be paused.
        """
        return self.call("POST", "/v1/admin/log-streams/{logStreamId}/resume", {"logStreamId": log_stream_id}, body=body, idempotency_key=idempotency_key, keyed=True)

    def test_log_stream(self, log_stream_id: str, *, idempotency_key: str | None = None) -> models.LogStreamTest:
        """Test a log stream.

        Sends an example entry to the destination and returns the result, also while the stream is paused. The entry is marked `example` and is not in the log.
        """
        return self.call("POST", "/v1/admin/log-streams/{logStreamId}/test", {"logStreamId": log_stream_id}, idempotency_key=idempotency_key, keyed=True)

    def list_members(self, *, limit: int | None = None, q: str | None = None, status: Literal["active", "invited", "blocked"] | None = None, role: str | None = None, created_after: str | None = None, order: Literal["newest", "oldest"] | None = None) -> Iterator[models.Member]:
        """List members."""
        return self.pages("/v1/admin/members", {}, query={"limit": limit, "q": q, "status": status, "role": role, "createdAfter": created_after, "order": order})

    def add_member(self, body: models.AddMemberRequest | None = None, *, idempotency_key: str | None = None) -> models.Member:
        """Add a member.

        Needs at least one of `email`, `phone` and `username`. A person who is known in the workspace joins with their existing account, which does not change.
        """
        return self.call("POST", "/v1/admin/members", {}, body=body, idempotency_key=idempotency_key, keyed=True)

    def count_members(self, *, q: str | None = None, status: Literal["active", "invited", "blocked"] | None = None, role: str | None = None, created_after: str | None = None) -> models.CountMembersResponse:
        """Count members.

        Those that match the filters of the list, up to ten thousand; with `q` up to one thousand.
        """
        return self.call("GET", "/v1/admin/members/count", {}, query={"q": q, "status": status, "role": role, "createdAfter": created_after})

    def export_all_members(self, *, password_hashes: bool | None = None) -> str:
        """Export all members.

        One JSON object per line, oldest first, in the format of an import. Includes password hashes only with `passwordHashes` (and `members:credentials`), and only of accounts that were created in this project and belong to no other. Protect them like the database.
        """
        return self.call("GET", "/v1/admin/members/export", {}, query={"passwordHashes": password_hashes})

    def list_imports_of_members(self, *, limit: int | None = None) -> Iterator[models.MemberImport]:
        """List imports of members.

        Newest first, for thirty days.
        """
        return self.pages("/v1/admin/members/import", {}, query={"limit": limit})

    def read_import_and_its_report(self, job_id: str, *, limit: int | None = None, cursor: str | None = None, outcome: Literal["failed"] | None = None) -> models.ReadImportAndItsReportResponse:
        """Read an import and its report."""
        return self.call("GET", "/v1/admin/members/import/{jobId}", {"jobId": job_id}, query={"limit": limit, "cursor": cursor, "outcome": outcome})

    def export_failed_rows_of_import(self, job_id: str) -> str:
        """Export the failed rows of an import.

        Row numbers and errors as CSV; the rows themselves are not stored.
        """
        return self.call("GET", "/v1/admin/members/import/{jobId}/failures", {"jobId": job_id})

    def remove_member(self, member_id: str, *, if_match: str | None = None) -> None:
        """Remove a member.

        Ends their sessions in the project. A person without any other membership is erased after seven days unless they sign in again.
        """
        return self.call("DELETE", "/v1/admin/members/{memberId}", {"memberId": member_id}, if_match=if_match)

    def read_member(self, member_id: str) -> models.Member:
        """Read a member."""
        return self.call("GET", "/v1/admin/members/{memberId}", {"memberId": member_id})

    def change_member(self, member_id: str, body: models.ChangeMemberRequest | None = None, *, if_match: str | None = None) -> models.Member:
        """Change a member.

        Changes the fields that are sent; `metadata` and `customData` are replaced as a whole. Changing an identifier requires every permission that the member has.
        """
        return self.call("PATCH", "/v1/admin/members/{memberId}", {"memberId": member_id}, body=body, if_match=if_match)

    def read_account_of_member(self, member_id: str) -> models.MemberAccount:
        """Read the account of a member.

        The profile, the sign-in methods and second factors, and the attempts that are refused now. A project sees it once the person has entered it; an account of another project is for that project and for the team.
        """
        return self.call("GET", "/v1/admin/members/{memberId}/account", {"memberId": member_id})

    def block_member(self, member_id: str, *, idempotency_key: str | None = None) -> models.Member:
        """Block a member."""
        return self.call("POST", "/v1/admin/members/{memberId}/block", {"memberId": member_id}, idempotency_key=idempotency_key, keyed=True)

    def remove_second_factor_of_member(self, member_id: str, factor_id: str, *, if_match: str | None = None) -> None:
        """Remove a second factor of a member.

        Recovery codes are removed with the last one.
        """
        return self.call("DELETE", "/v1/admin/members/{memberId}/factors/{factorId}", {"memberId": member_id, "factorId": factor_id}, if_match=if_match)

    def end_every_impersonation_of_member(self, member_id: str, *, if_match: str | None = None) -> None:
        """End every impersonation of a member."""
        return self.call("DELETE", "/v1/admin/members/{memberId}/impersonate", {"memberId": member_id}, if_match=if_match)

    def read_who_acts_as_member(self, member_id: str) -> models.Impersonations:
        """Read who acts as a member."""
        return self.call("GET", "/v1/admin/members/{memberId}/impersonate", {"memberId": member_id})

    def act_as_member(self, member_id: str, body: models.ActAsMemberRequest, *, idempotency_key: str | None = None) -> models.ActAsMemberResponse:
        """Act as a member.

        Needs every permission that the person has. A member exchanges the ticket in the same session; the ticket of an operator or a management client is for one application. Nobody can act as an owner, or as themselves.
        """
        return self.call("POST", "/v1/admin/members/{memberId}/impersonate", {"memberId": member_id}, body=body, idempotency_key=idempotency_key, keyed=True)

    def unlink_identity_of_member(self, member_id: str, identity_id: str, *, if_match: str | None = None) -> None:
        """Unlink an identity of a member."""
        return self.call("DELETE", "/v1/admin/members/{memberId}/linked-identities/{identityId}", {"memberId": member_id, "identityId": identity_id}, if_match=if_match)

    def remove_passkey_of_member(self, member_id: str, passkey_id: str, *, if_match: str | None = None) -> None:
        """Remove a passkey of a member."""
        return self.call("DELETE", "/v1/admin/members/{memberId}/passkeys/{passkeyId}", {"memberId": member_id, "passkeyId": passkey_id}, if_match=if_match)

    def remove_member_second_factors(self, member_id: str, *, idempotency_key: str | None = None) -> None:
        """Remove a member's second factors.

        For a person who lost them. Ends all sessions of the person; passkeys remain as sign-in methods.
        """
        return self.call("POST", "/v1/admin/members/{memberId}/reset-mfa", {"memberId": member_id}, idempotency_key=idempotency_key, keyed=True)

    def mail_member_password_reset(self, member_id: str, *, idempotency_key: str | None = None) -> dict[str, Any]:
        """Mail a member a password reset.

        Only the member chooses the new password.
        """
        return self.call("POST", "/v1/admin/members/{memberId}/reset-password", {"memberId": member_id}, idempotency_key=idempotency_key, keyed=True)

    def replace_roles_of_member(self, member_id: str, body: models.ReplaceRolesOfMemberRequest, *, if_match: str | None = None) -> models.Member:
        """Replace the roles of a member."""
        return self.call("PUT", "/v1/admin/members/{memberId}/roles", {"memberId": member_id}, body=body, if_match=if_match)

    def mail_member_link_that_verifies_their_address(self, member_id: str, *, idempotency_key: str | None = None) -> dict[str, Any]:
        """Mail a member a link that verifies their address."""
        return self.call("POST", "/v1/admin/members/{memberId}/send-verification", {"memberId": member_id}, idempotency_key=idempotency_key, keyed=True)

    def end_sessions_of_member(self, member_id: str, *, idempotency_key: str | None = None) -> models.EndSessionsOfMemberResponse:
        """End the sessions of a member."""
        return self.call("POST", "/v1/admin/members/{memberId}/sessions/revoke", {"memberId": member_id}, idempotency_key=idempotency_key, keyed=True)

    def unblock_member(self, member_id: str, *, idempotency_key: str | None = None) -> models.Member:
        """Unblock a member."""
        return self.call("POST", "/v1/admin/members/{memberId}/unblock", {"memberId": member_id}, idempotency_key=idempotency_key, keyed=True)

    def let_member_try_to_sign_in_again(self, member_id: str, *, idempotency_key: str | None = None) -> None:
        """Let a member try to sign in again.

        Resets the counted attempts at their account, from everywhere. A blocked member stays blocked.
        """
        return self.call("POST", "/v1/admin/members/{memberId}/unlock", {"memberId": member_id}, idempotency_key=idempotency_key, keyed=True)

    def list_sent_messages(self, *, limit: int | None = None) -> Iterator[models.ListSentMessagesItem]:
        """List sent messages.

        Mails and text messages with their delivery state, newest first.
        """
        return self.pages("/v1/admin/messages", {}, query={"limit": limit})

    def list_roles_of_organizations(self, *, limit: int | None = None) -> Iterator[models.OrganizationRole]:
        """List the roles of organizations."""
        return self.pages("/v1/admin/organization-roles", {}, query={"limit": limit})

    def add_role_of_organizations(self, body: models.AddRoleOfOrganizationsRequest, *, idempotency_key: str | None = None) -> models.OrganizationRole:
        """Add a role of organizations."""
        return self.call("POST", "/v1/admin/organization-roles", {}, body=body, idempotency_key=idempotency_key, keyed=True)

    def delete_role_of_organizations(self, role_key: str, *, if_match: str | None = None) -> None:
        """Delete a role of organizations."""
        return self.call("DELETE", "/v1/admin/organization-roles/{roleKey}", {"roleKey": role_key}, if_match=if_match)

    def read_role_of_organizations(self, role_key: str) -> models.OrganizationRole:
        """Read a role of organizations."""
        return self.call("GET", "/v1/admin/organization-roles/{roleKey}", {"roleKey": role_key})

    def change_role_of_organizations(self, role_key: str, body: models.ChangeRoleOfOrganizationsRequest | None = None, *, if_match: str | None = None) -> models.OrganizationRole:
        """Change a role of organizations.

        `permissions` are replaced as a whole.
        """
        return self.call("PATCH", "/v1/admin/organization-roles/{roleKey}", {"roleKey": role_key}, body=body, if_match=if_match)

    def list_organizations(self, *, limit: int | None = None, q: str | None = None, status: Literal["active", "blocked"] | None = None, member_id: str | None = None) -> Iterator[models.Organization]:
        """List organizations."""
        return self.pages("/v1/admin/organizations", {}, query={"limit": limit, "q": q, "status": status, "memberId": member_id})

    def add_organization(self, body: models.AddOrganizationRequest, *, idempotency_key: str | None = None) -> models.Organization:
        """Add an organization."""
        return self.call("POST", "/v1/admin/organizations", {}, body=body, idempotency_key=idempotency_key, keyed=True)

    def delete_organization(self, organization_id: str, *, if_match: str | None = None) -> None:
        """Delete an organization.

        Its memberships end. Its members stay members of the project.
        """
        return self.call("DELETE", "/v1/admin/organizations/{organizationId}", {"organizationId": organization_id}, if_match=if_match)

    def read_organization(self, organization_id: str) -> models.Organization:
        """Read an organization."""
        return self.call("GET", "/v1/admin/organizations/{organizationId}", {"organizationId": organization_id})

    def change_organization(self, organization_id: str, body: models.ChangeOrganizationRequest | None = None, *, if_match: str | None = None) -> models.Organization:
        """Change an organization.

        `metadata` is replaced as a whole.
        """
        return self.call("PATCH", "/v1/admin/organizations/{organizationId}", {"organizationId": organization_id}, body=body, if_match=if_match)

    def block_organization(self, organization_id: str, *, idempotency_key: str | None = None) -> models.Organization:
        """Block an organization.

        Its members and their roles do not change.
        """
        return self.call("POST", "/v1/admin/organizations/{organizationId}/block", {"organizationId": organization_id}, idempotency_key=idempotency_key, keyed=True)

    def read_branding_of_organization(self, organization_id: str) -> models.OrganizationBranding:
        """Read the branding of an organization."""
        return self.call("GET", "/v1/admin/organizations/{organizationId}/branding", {"organizationId": organization_id})

    def change_branding_of_organization(self, organization_id: str, body: models.ChangeBrandingOfOrganizationRequest | None = None, *, if_match: str | None = None) -> models.OrganizationBranding:
        """Change the branding of an organization.

        Shown on the pages of a sign-in from the moment when its organization is known, and in mails about the organization. Null stands for the project’s branding. Colours with too little contrast are adjusted.
        """
        return self.call("PATCH", "/v1/admin/organizations/{organizationId}/branding", {"organizationId": organization_id}, body=body, if_match=if_match)

    def read_uploaded_images_of_organization(self, organization_id: str) -> models.BrandingImages:
        """Read the uploaded images of an organization."""
        return self.call("GET", "/v1/admin/organizations/{organizationId}/branding/images", {"organizationId": organization_id})

    def remove_image_of_organization(self, organization_id: str, use: str, *, if_match: str | None = None) -> models.BrandingImages:
        """Remove an image of an organization."""
        return self.call("DELETE", "/v1/admin/organizations/{organizationId}/branding/images/{use}", {"organizationId": organization_id, "use": use}, if_match=if_match)

    def upload_image_of_organization(self, organization_id: str, use: str, body: models.UploadImageOfOrganizationRequest, *, if_match: str | None = None) -> models.BrandingImages:
        """Upload an image of an organization.

        Shown in place of the project’s, as its other branding. A logo comes before `logoUrl`.
        """
        return self.call("PUT", "/v1/admin/organizations/{organizationId}/branding/images/{use}", {"organizationId": organization_id, "use": use}, body=body, if_match=if_match)

    def list_connections_of_organization(self, organization_id: str, *, limit: int | None = None) -> Iterator[models.OrganizationConnection]:
        """List the connections of an organization."""
        return self.pages("/v1/admin/organizations/{organizationId}/connections", {"organizationId": organization_id}, query={"limit": limit})

    def add_connection_to_organization(self, organization_id: str, body: models.AddConnectionToOrganizationRequest, *, idempotency_key: str | None = None) -> models.OrganizationConnection:
        """Add a connection to an organization.

        An identity provider through which people of the organization sign in. It is disabled until you enable it. You need `providers:write` too, and every permission that its roles grant.
        """
        return self.call("POST", "/v1/admin/organizations/{organizationId}/connections", {"organizationId": organization_id}, body=body, idempotency_key=idempotency_key, keyed=True)

    def remove_connection_of_organization(self, organization_id: str, connection_id: str, *, if_match: str | None = None) -> None:
        """Remove a connection of an organization.

        Ends the sessions that began through it. Who joined through it stays a member.
        """
        return self.call("DELETE", "/v1/admin/organizations/{organizationId}/connections/{connectionId}", {"organizationId": organization_id, "connectionId": connection_id}, if_match=if_match)

    def read_connection_of_organization(self, organization_id: str, connection_id: str) -> models.OrganizationConnection:
        """Read a connection of an organization."""
        return self.call("GET", "/v1/admin/organizations/{organizationId}/connections/{connectionId}", {"organizationId": organization_id, "connectionId": connection_id})

    def change_connection_of_organization(self, organization_id: str, connection_id: str, body: models.ChangeConnectionOfOrganizationRequest | None = None, *, if_match: str | None = None) -> models.OrganizationConnection:
        """Change a connection of an organization.

        Disabling it, or changing its identity provider, ends the sessions that began through it. `attributes` and `groupRoles` are replaced as a whole.
        """
        return self.call("PATCH", "/v1/admin/organizations/{organizationId}/connections/{connectionId}", {"organizationId": organization_id, "connectionId": connection_id}, body=body, if_match=if_match)

    def read_last_saml_response_of_connection(self, organization_id: str, connection_id: str) -> models.ExplainedSamlResponse:
        """Read the last SAML response of a connection.

        What the identity provider sent at the last sign-in, and what the attribute mapping makes of it; or the check that refused it, and what it expected. It stays for a day.
        """
        return self.call("GET", "/v1/admin/organizations/{organizationId}/connections/{connectionId}/saml/last-response", {"organizationId": organization_id, "connectionId": connection_id})

    def test_connection_of_organization(self, organization_id: str, connection_id: str, *, idempotency_key: str | None = None) -> models.TestConnectionOfOrganizationResponse:
        """Test a connection of an organization.

        Checks that the identity provider responds as configured; signs nobody in. It may be disabled.
        """
        return self.call("POST", "/v1/admin/organizations/{organizationId}/connections/{connectionId}/test", {"organizationId": organization_id, "connectionId": connection_id}, idempotency_key=idempotency_key, keyed=True)

    def start_test_sign_in_through_connection(self, organization_id: str, connection_id: str, *, idempotency_key: str | None = None) -> models.StartedConnectionTestSignIn:
        """Start a test sign-in through a connection.

        Open `url` in a browser and sign in at the identity provider. What it says, and what a sign-in would do with it, is explained at the test sign-in for a day. Nobody is signed in, and no account changes. The connection may be disabled.
        """
        return self.call("POST", "/v1/admin/organizations/{organizationId}/connections/{connectionId}/test-sign-ins", {"organizationId": organization_id, "connectionId": connection_id}, idempotency_key=idempotency_key, keyed=True)

    def read_test_sign_in(self, organization_id: str, connection_id: str, test_sign_in_id: str) -> models.ConnectionTestSignIn:
        """Read a test sign-in."""
        return self.call("GET", "/v1/admin/organizations/{organizationId}/connections/{connectionId}/test-sign-ins/{testSignInId}", {"organizationId": organization_id, "connectionId": connection_id, "testSignInId": test_sign_in_id})

    def list_custom_domains_of_organization(self, organization_id: str, *, limit: int | None = None) -> Iterator[models.Domain]:
        """List the custom domains of an organization."""
        return self.pages("/v1/admin/organizations/{organizationId}/custom-domains", {"organizationId": organization_id}, query={"limit": limit})

    def add_custom_domain_to_organization(self, organization_id: str, body: models.AddCustomDomainToOrganizationRequest, *, idempotency_key: str | None = None) -> models.Domain:
        """Add a custom domain to an organization.

        Once it is verified, its sign-in and account pages and its OpenID provider are for this organization only. Up to three per organization.
        """
        return self.call("POST", "/v1/admin/organizations/{organizationId}/custom-domains", {"organizationId": organization_id}, body=body, idempotency_key=idempotency_key, keyed=True)

    def list_mail_domains_of_organization(self, organization_id: str, *, limit: int | None = None) -> Iterator[models.OrganizationDomain]:
        """List the mail domains of an organization."""
        return self.pages("/v1/admin/organizations/{organizationId}/domains", {"organizationId": organization_id}, query={"limit": limit})

    def add_mail_domain_to_organization(self, organization_id: str, body: models.AddMailDomainToOrganizationRequest, *, idempotency_key: str | None = None) -> models.OrganizationDomain:
        """Add a mail domain to an organization.

        Publish the TXT record of `verification`, then verify it. Domains of mail services that anybody can use are refused.
        """
        return self.call("POST", "/v1/admin/organizations/{organizationId}/domains", {"organizationId": organization_id}, body=body, idempotency_key=idempotency_key, keyed=True)

    def remove_mail_domain_from_organization(self, organization_id: str, domain_id: str, *, if_match: str | None = None) -> None:
        """Remove a mail domain from an organization.

        People who joined by it stay members.
        """
        return self.call("DELETE", "/v1/admin/organizations/{organizationId}/domains/{domainId}", {"organizationId": organization_id, "domainId": domain_id}, if_match=if_match)

    def read_mail_domain_of_organization(self, organization_id: str, domain_id: str) -> models.OrganizationDomain:
        """Read a mail domain of an organization."""
        return self.call("GET", "/v1/admin/organizations/{organizationId}/domains/{domainId}", {"organizationId": organization_id, "domainId": domain_id})

    def change_who_joins_by_mail_domain(self, organization_id: str, domain_id: str, body: models.ChangeWhoJoinsByMailDomainRequest | None = None, *, if_match: str | None = None) -> models.OrganizationDomain:
        """Change who joins by a mail domain."""
        return self.call("PATCH", "/v1/admin/organizations/{organizationId}/domains/{domainId}", {"organizationId": organization_id, "domainId": domain_id}, body=body, if_match=if_match)

    def verify_mail_domain_of_organization(self, organization_id: str, domain_id: str, *, idempotency_key: str | None = None) -> models.OrganizationDomain:
        """Verify a mail domain of an organization.

        Looks up its TXT record now. Only one organization of a project environment can verify a domain.
        """
        return self.call("POST", "/v1/admin/organizations/{organizationId}/domains/{domainId}/verify", {"organizationId": organization_id, "domainId": domain_id}, idempotency_key=idempotency_key, keyed=True)

    def list_members_of_organization(self, organization_id: str, *, limit: int | None = None, role: str | None = None) -> Iterator[models.OrganizationMember]:
        """List the members of an organization."""
        return self.pages("/v1/admin/organizations/{organizationId}/members", {"organizationId": organization_id}, query={"limit": limit, "role": role})

    def add_member_to_organization(self, organization_id: str, body: models.AddMemberToOrganizationRequest, *, idempotency_key: str | None = None) -> models.OrganizationMember:
        """Add a member to an organization.

        The person must be a member of the project already.
        """
        return self.call("POST", "/v1/admin/organizations/{organizationId}/members", {"organizationId": organization_id}, body=body, idempotency_key=idempotency_key, keyed=True)

    def remove_member_from_organization(self, organization_id: str, member_id: str, *, if_match: str | None = None) -> None:
        """Remove a member from an organization.

        The person stays a member of the project.
        """
        return self.call("DELETE", "/v1/admin/organizations/{organizationId}/members/{memberId}", {"organizationId": organization_id, "memberId": member_id}, if_match=if_match)

    def read_member_of_organization(self, organization_id: str, member_id: str) -> models.OrganizationMember:
        """Read a member of an organization."""
        return self.call("GET", "/v1/admin/organizations/{organizationId}/members/{memberId}", {"organizationId": organization_id, "memberId": member_id})

    def replace_roles_of_member_in_organization(self, organization_id: str, member_id: str, body: models.ReplaceRolesOfMemberInOrganizationRequest, *, if_match: str | None = None) -> models.OrganizationMember:
        """Replace the roles of a member in an organization."""
        return self.call("PUT", "/v1/admin/organizations/{organizationId}/members/{memberId}/roles", {"organizationId": organization_id, "memberId": member_id}, body=body, if_match=if_match)

    def read_policy_of_organization(self, organization_id: str) -> models.OrganizationPolicy:
        """Read the policy of an organization."""
        return self.call("GET", "/v1/admin/organizations/{organizationId}/policy", {"organizationId": organization_id})

    def change_policy_of_organization(self, organization_id: str, body: models.ChangePolicyOfOrganizationRequest | None = None, *, if_match: str | None = None) -> models.OrganizationPolicy:
        """Change the policy of an organization.

        The policy can only be stricter than the project’s settings; null stands for the project’s setting. Access tokens in the organization become invalid, and each session is checked against the new policy at its next refresh.
        """
        return self.call("PATCH", "/v1/admin/organizations/{organizationId}/policy", {"organizationId": organization_id}, body=body, if_match=if_match)

    def list_groups_of_organization_directory(self, organization_id: str, *, limit: int | None = None) -> Iterator[models.DirectoryGroup]:
        """List the groups of an organization’s directory."""
        return self.pages("/v1/admin/organizations/{organizationId}/scim/groups", {"organizationId": organization_id}, query={"limit": limit})

    def read_group_of_organization_directory(self, organization_id: str, group_id: str) -> models.DirectoryGroup:
        """Read a group of an organization’s directory."""
        return self.call("GET", "/v1/admin/organizations/{organizationId}/scim/groups/{groupId}", {"organizationId": organization_id, "groupId": group_id})

    def choose_roles_of_directory_group(self, organization_id: str, group_id: str, body: models.ChooseRolesOfDirectoryGroupRequest, *, if_match: str | None = None) -> models.DirectoryGroup:
        """Choose the roles of a directory group.

        The members of the group have these roles in the organization, from now on and at once.
        """
        return self.call("PUT", "/v1/admin/organizations/{organizationId}/scim/groups/{groupId}/roles", {"organizationId": organization_id, "groupId": group_id}, body=body, if_match=if_match)

    def read_provisioning_log_of_organization(self, organization_id: str, *, limit: int | None = None, outcome: Literal["applied", "refused"] | None = None) -> Iterator[models.ProvisioningLogEntry]:
        """Read the provisioning log of an organization.

        What its directory did, newest first, with the reason of each refusal. Entries stay for 90 days.
        """
        return self.pages("/v1/admin/organizations/{organizationId}/scim/log", {"organizationId": organization_id}, query={"limit": limit, "outcome": outcome})

    def list_scim_tokens_of_organization(self, organization_id: str, *, limit: int | None = None) -> Iterator[models.ScimToken]:
        """List the SCIM tokens of an organization."""
        return self.pages("/v1/admin/organizations/{organizationId}/scim/tokens", {"organizationId": organization_id}, query={"limit": limit})

    def issue_scim_token(self, organization_id: str, body: models.IssueScimTokenRequest, *, idempotency_key: str | None = None) -> models.IssueScimTokenResponse:
        """Issue a SCIM token.

        With it, the directory of the organization’s company adds, changes and deactivates members at `/scim/v2` of the API host (RFC 7644).
        """
        return self.call("POST", "/v1/admin/organizations/{organizationId}/scim/tokens", {"organizationId": organization_id}, body=body, idempotency_key=idempotency_key, keyed=True)

    def remove_scim_token(self, organization_id: str, token_id: str, *, if_match: str | None = None) -> None:
        """Remove a SCIM token.

        The next request with it is refused. The people and groups that it provisioned stay.
        """
        return self.call("DELETE", "/v1/admin/organizations/{organizationId}/scim/tokens/{tokenId}", {"organizationId": organization_id, "tokenId": token_id}, if_match=if_match)

    def read_scim_token(self, organization_id: str, token_id: str) -> models.ScimToken:
        """Read a SCIM token.

        Without the token itself.
        """
        return self.call("GET", "/v1/admin/organizations/{organizationId}/scim/tokens/{tokenId}", {"organizationId": organization_id, "tokenId": token_id})

    def list_set_up_links_of_organization(self, organization_id: str, *, limit: int | None = None) -> Iterator[models.SetupLink]:
        """List the set-up links of an organization."""
        return self.pages("/v1/admin/organizations/{organizationId}/setup-links", {"organizationId": organization_id}, query={"limit": limit})

    def make_set_up_link_of_organization(self, organization_id: str, body: models.MakeSetUpLinkOfOrganizationRequest, *, idempotency_key: str | None = None) -> models.MakeSetUpLinkOfOrganizationResponse:
        """Make a set-up link of an organization.

        Its holder needs no account. They set up what `tasks` name, on pages in seven languages. You can only make a link for what you may do yourself: `connection` takes `providers:write` too, `team` `invitations:write` and every permission of `roles`. If you lose a permission, the link loses it too.
        """
        return self.call("POST", "/v1/admin/organizations/{organizationId}/setup-links", {"organizationId": organization_id}, body=body, idempotency_key=idempotency_key, keyed=True)

    def revoke_set_up_link_of_organization(self, organization_id: str, setup_link_id: str, *, if_match: str | None = None) -> None:
        """Revoke a set-up link of an organization.

        Those who work with it are stopped immediately, and invitations that it sent and nobody accepted are revoked. What was set up stays.
        """
        return self.call("DELETE", "/v1/admin/organizations/{organizationId}/setup-links/{setupLinkId}", {"organizationId": organization_id, "setupLinkId": setup_link_id}, if_match=if_match)

    def read_set_up_link_of_organization(self, organization_id: str, setup_link_id: str) -> models.SetupLink:
        """Read a set-up link of an organization.

        Without the link itself.
        """
        return self.call("GET", "/v1/admin/organizations/{organizationId}/setup-links/{setupLinkId}", {"organizationId": organization_id, "setupLinkId": setup_link_id})

    def unblock_organization(self, organization_id: str, *, idempotency_key: str | None = None) -> models.Organization:
        """Unblock an organization."""
        return self.call("POST", "/v1/admin/organizations/{organizationId}/unblock", {"organizationId": organization_id}, idempotency_key=idempotency_key, keyed=True)

    def list_permissions(self, *, limit: int | None = None) -> Iterator[models.Permission]:
        """List permissions."""
        return self.pages("/v1/admin/permissions", {}, query={"limit": limit})

    def add_permission(self, body: models.AddPermissionRequest, *, idempotency_key: str | None = None) -> models.Permission:
        """Add a permission."""
        return self.call("POST", "/v1/admin/permissions", {}, body=body, idempotency_key=idempotency_key, keyed=True)

    def remove_permission(self, key: str, *, if_match: str | None = None) -> None:
        """Remove a permission."""
        return self.call("DELETE", "/v1/admin/permissions/{key}", {"key": key}, if_match=if_match)

    def read_permission(self, key: str) -> models.Permission:
        """Read a permission."""
        return self.call("GET", "/v1/admin/permissions/{key}", {"key": key})

    def change_description_of_permission(self, key: str, body: models.ChangeDescriptionOfPermissionRequest, *, if_match: str | None = None) -> models.Permission:
        """Change the description of a permission."""
        return self.call("PATCH", "/v1/admin/permissions/{key}", {"key": key}, body=body, if_match=if_match)

    def list_roles(self, *, limit: int | None = None) -> Iterator[models.Role]:
        """List roles."""
        return self.pages("/v1/admin/roles", {}, query={"limit": limit})

    def add_role(self, body: models.AddRoleRequest, *, idempotency_key: str | None = None) -> models.Role:
        """Add a role."""
        return self.call("POST", "/v1/admin/roles", {}, body=body, idempotency_key=idempotency_key, keyed=True)

    def remove_role(self, id_: str, *, if_match: str | None = None) -> None:
        """Remove a role."""
        return self.call("DELETE", "/v1/admin/roles/{id}", {"id": id_}, if_match=if_match)

    def read_role(self, id_: str) -> models.Role:
        """Read a role."""
        return self.call("GET", "/v1/admin/roles/{id}", {"id": id_})

    def change_role(self, id_: str, body: models.ChangeRoleRequest | None = None, *, if_match: str | None = None) -> models.Role:
        """Change a role."""
        return self.call("PATCH", "/v1/admin/roles/{id}", {"id": id_}, body=body, if_match=if_match)

    def replace_permissions_of_role(self, id_: str, body: models.ReplacePermissionsOfRoleRequest, *, if_match: str | None = None) -> models.Role:
        """Replace the permissions of a role."""
        return self.call("PUT", "/v1/admin/roles/{id}/permissions", {"id": id_}, body=body, if_match=if_match)

    def read_what_service_provider_needs(self, saml_application_id: str) -> models.SamlIdentityProvider:
        """Read what the service provider needs.

        The fields to enter at the service provider of an application by SAML, or the address of the metadata that has them.
        """
        return self.call("GET", "/v1/admin/saml/applications/{samlApplicationId}", {"samlApplicationId": saml_application_id})

    def list_saml_keys(self) -> models.ListSamlKeysResponse:
        """List the SAML keys.

        They are in the metadata of every application by SAML; the first one signs. A project has none before its first application by SAML.
        """
        return self.call("GET", "/v1/admin/saml/keys", {})

    def add_saml_key(self, *, idempotency_key: str | None = None) -> models.SamlKey:
        """Add a SAML key.

        It is in the metadata from now on, and signs once it is activated. The first one signs at once.
        """
        return self.call("POST", "/v1/admin/saml/keys", {}, idempotency_key=idempotency_key, keyed=True)

    def remove_saml_key(self, key_id: str, *, if_match: str | None = None) -> None:
        """Remove a SAML key.

        Not the one that signs.
        """
        return self.call("DELETE", "/v1/admin/saml/keys/{keyId}", {"keyId": key_id}, if_match=if_match)

    def read_saml_key(self, key_id: str) -> models.SamlKey:
        """Read a SAML key."""
        return self.call("GET", "/v1/admin/saml/keys/{keyId}", {"keyId": key_id})

    def let_saml_key_sign(self, key_id: str, *, idempotency_key: str | None = None) -> models.SamlKey:
        """Let a SAML key sign.

        Do so when the service providers have its certificate. The key before stays in the metadata until you remove it.
        """
        return self.call("POST", "/v1/admin/saml/keys/{keyId}/activate", {"keyId": key_id}, idempotency_key=idempotency_key, keyed=True)

    def list_live_sessions(self, *, limit: int | None = None, member_id: str | None = None) -> Iterator[models.MemberSession]:
        """List live sessions."""
        return self.pages("/v1/admin/sessions", {}, query={"limit": limit, "memberId": member_id})

    def end_session_in_this_project(self, session_id: str, *, if_match: str | None = None) -> None:
        """End a session in this project.

        The person is signed out of this project immediately; the session continues in other projects.
        """
        return self.call("DELETE", "/v1/admin/sessions/{sessionId}", {"sessionId": session_id}, if_match=if_match)

    def read_live_session(self, session_id: str) -> models.MemberSession:
        """Read a live session."""
        return self.call("GET", "/v1/admin/sessions/{sessionId}", {"sessionId": session_id})

    def read_settings(self) -> models.Settings:
        """Read the settings."""
        return self.call("GET", "/v1/admin/settings", {})

    def change_settings(self, body: models.ChangeSettingsRequest | None = None, *, if_match: str | None = None) -> models.Settings:
        """Change settings.

        Effective in every process within milliseconds.
        """
        return self.call("PATCH", "/v1/admin/settings", {}, body=body, if_match=if_match)

    def list_message_templates(self, *, limit: int | None = None, locale: Literal["en", "de", "fr", "es", "ja", "zh", "ar"] | None = None) -> Iterator[models.MessageTemplate]:
        """List message templates."""
        return self.pages("/v1/admin/settings/messages", {}, query={"limit": limit, "locale": locale})

    def restore_built_in_template(self, template: str, locale: str, *, if_match: str | None = None) -> None:
        """Restore the built-in template."""
        return self.call("DELETE", "/v1/admin/settings/messages/{template}/{locale}", {"template": template, "locale": locale}, if_match=if_match)

    def read_message_template(self, template: str, locale: str) -> models.MessageTemplate:
        """Read a message template."""
        return self.call("GET", "/v1/admin/settings/messages/{template}/{locale}", {"template": template, "locale": locale})

    def replace_message_template(self, template: str, locale: str, body: models.ReplaceMessageTemplateRequest, *, if_match: str | None = None) -> models.MessageTemplate:
        """Replace a message template."""
        return self.call("PUT", "/v1/admin/settings/messages/{template}/{locale}", {"template": template, "locale": locale}, body=body, if_match=if_match)

    def preview_message_template(self, template: str, locale: str, body: models.PreviewMessageTemplateRequest | None = None, *, idempotency_key: str | None = None) -> models.PreviewMessageTemplateResponse:
        """Preview a message template.

        Renders a text with sample values; without a body, the current text.
        """
        return self.call("POST", "/v1/admin/settings/messages/{template}/{locale}/preview", {"template": template, "locale": locale}, body=body, idempotency_key=idempotency_key, keyed=True)

    def list_status_components(self, *, limit: int | None = None) -> Iterator[models.StatusComponent]:
        """List status components.

        In the order in which they are shown.
        """
        return self.pages("/v1/admin/status/components", {}, query={"limit": limit})

    def add_status_component(self, body: models.AddStatusComponentRequest, *, idempotency_key: str | None = None) -> models.AddStatusComponentResponse:
        """Add a status component.

        Checked over HTTP or TCP, by the certificate of a server (`tls`), reporting by itself (`heartbeat`: the response contains the address to POST to, which is shown only once), or set by your incidents (`manual`).
        """
        return self.call("POST", "/v1/admin/status/components", {}, body=body, idempotency_key=idempotency_key, keyed=True)

    def remove_status_component_of_your_own(self, id_: str, *, if_match: str | None = None) -> None:
        """Remove a status component of your own."""
        return self.call("DELETE", "/v1/admin/status/components/{id}", {"id": id_}, if_match=if_match)

    def read_status_component(self, id_: str) -> models.StatusComponent:
        """Read a status component."""
        return self.call("GET", "/v1/admin/status/components/{id}", {"id": id_})

    def change_how_status_component_is_shown(self, id_: str, body: models.ChangeHowStatusComponentIsShownRequest | None = None, *, if_match: str | None = None) -> models.StatusComponent:
        """Change how a status component is shown."""
        return self.call("PATCH", "/v1/admin/status/components/{id}", {"id": id_}, body=body, if_match=if_match)

    def list_status_groups(self, *, limit: int | None = None) -> Iterator[models.StatusGroup]:
        """List status groups.

        In the order in which they are shown.
        """
        return self.pages("/v1/admin/status/groups", {}, query={"limit": limit})

    def add_status_group(self, body: models.AddStatusGroupRequest, *, idempotency_key: str | None = None) -> models.StatusGroup:
        """Add a status group."""
        return self.call("POST", "/v1/admin/status/groups", {}, body=body, idempotency_key=idempotency_key, keyed=True)

    def remove_empty_status_group(self, id_: str, *, if_match: str | None = None) -> None:
        """Remove an empty status group."""
        return self.call("DELETE", "/v1/admin/status/groups/{id}", {"id": id_}, if_match=if_match)

    def read_status_group(self, id_: str) -> models.StatusGroup:
        """Read a status group."""
        return self.call("GET", "/v1/admin/status/groups/{id}", {"id": id_})

    def change_status_group(self, id_: str, body: models.ChangeStatusGroupRequest | None = None, *, if_match: str | None = None) -> models.StatusGroup:
        """Change a status group."""
        return self.call("PATCH", "/v1/admin/status/groups/{id}", {"id": id_}, body=body, if_match=if_match)

    def list_incidents_including_drafts(self, *, limit: int | None = None) -> Iterator[models.Incident]:
        """List incidents, including drafts."""
        return self.pages("/v1/admin/status/incidents", {}, query={"limit": limit})

    def open_incident(self, body: models.OpenIncidentRequest, *, idempotency_key: str | None = None) -> models.Incident:
        """Open an incident."""
        return self.call("POST", "/v1/admin/status/incidents", {}, body=body, idempotency_key=idempotency_key, keyed=True)

    def delete_draft_of_incident(self, id_: str, *, if_match: str | None = None) -> None:
        """Delete the draft of an incident."""
        return self.call("DELETE", "/v1/admin/status/incidents/{id}", {"id": id_}, if_match=if_match)

    def read_incident(self, id_: str) -> models.Incident:
        """Read an incident."""
        return self.call("GET", "/v1/admin/status/incidents/{id}", {"id": id_})

    def correct_incident_or_write_its_postmortem(self, id_: str, body: models.CorrectIncidentOrWriteItsPostmortemRequest | None = None, *, if_match: str | None = None) -> models.Incident:
        """Correct an incident, or write its postmortem.

        Sends no notification; the phase changes with updates.
        """
        return self.call("PATCH", "/v1/admin/status/incidents/{id}", {"id": id_}, body=body, if_match=if_match)

    def publish_draft_of_incident(self, id_: str, *, idempotency_key: str | None = None) -> models.Incident:
        """Publish the draft of an incident."""
        return self.call("POST", "/v1/admin/status/incidents/{id}/publish", {"id": id_}, idempotency_key=idempotency_key, keyed=True)

    def add_update_to_incident(self, id_: str, body: models.AddUpdateToIncidentRequest, *, idempotency_key: str | None = None) -> models.Incident:
        """Add an update to an incident.

        Subscribers are notified when the phase changes. `investigating` or `identified` reopens a resolved incident.
        """
        return self.call("POST", "/v1/admin/status/incidents/{id}/updates", {"id": id_}, body=body, idempotency_key=idempotency_key, keyed=True)

    def list_maintenances(self, *, limit: int | None = None) -> Iterator[models.Maintenance]:
        """List maintenances."""
        return self.pages("/v1/admin/status/maintenances", {}, query={"limit": limit})

    def plan_maintenance(self, body: models.PlanMaintenanceRequest, *, idempotency_key: str | None = None) -> models.Maintenance:
        """Plan a maintenance.

        It starts and ends automatically at the given times; in between, its components count as under maintenance.
        """
        return self.call("POST", "/v1/admin/status/maintenances", {}, body=body, idempotency_key=idempotency_key, keyed=True)

    def cancel_maintenance(self, id_: str, *, if_match: str | None = None) -> None:
        """Cancel a maintenance."""
        return self.call("DELETE", "/v1/admin/status/maintenances/{id}", {"id": id_}, if_match=if_match)

    def read_maintenance(self, id_: str) -> models.Maintenance:
        """Read a maintenance."""
        return self.call("GET", "/v1/admin/status/maintenances/{id}", {"id": id_})

    def change_maintenance(self, id_: str, body: models.ChangeMaintenanceRequest | None = None, *, if_match: str | None = None) -> models.Maintenance:
        """Change a maintenance."""
        return self.call("PATCH", "/v1/admin/status/maintenances/{id}", {"id": id_}, body=body, if_match=if_match)

    def add_update_to_maintenance(self, id_: str, body: models.AddUpdateToMaintenanceRequest, *, idempotency_key: str | None = None) -> models.Maintenance:
        """Add an update to a maintenance."""
        return self.call("POST", "/v1/admin/status/maintenances/{id}/updates", {"id": id_}, body=body, idempotency_key=idempotency_key, keyed=True)

    def read_which_status_page_project_manages(self) -> models.StatusPage:
        """Read which status page the project manages."""
        return self.call("GET", "/v1/admin/status/page", {})

    def make_publish_or_hide_status_page_of_project(self, body: models.MakePublishOrHideStatusPageOfProjectRequest, *, if_match: str | None = None) -> models.StatusPage:
        """Make, publish or hide the status page of the project.

        The first call makes the page, with a group for components. A hidden page keeps everything: its components, incidents and subscribers are there when it is published again. A change of `audience` ends no subscription: while only members see the page, only subscriptions of members are told anything.
        """
        return self.call("PUT", "/v1/admin/status/page", {}, body=body, if_match=if_match)

    def preview_what_subscribers_would_be_told(self, body: models.PreviewWhatSubscribersWouldBeToldRequest, *, idempotency_key: str | None = None) -> models.PreviewWhatSubscribersWouldBeToldResponse:
        """Preview what subscribers would be told.

        The message of each channel, and how many would get it. Nothing is sent.
        """
        return self.call("POST", "/v1/admin/status/preview", {}, body=body, idempotency_key=idempotency_key, keyed=True)

    def read_settings_of_status(self) -> models.StatusSettings:
        """Read the settings of the status."""
        return self.call("GET", "/v1/admin/status/settings", {})

    def change_settings_of_status(self, body: models.ChangeSettingsOfStatusRequest | None = None, *, if_match: str | None = None) -> models.StatusSettings:
        """Change the settings of the status."""
        return self.call("PATCH", "/v1/admin/status/settings", {}, body=body, if_match=if_match)

    def list_status_subscribers(self, *, limit: int | None = None, channel: Literal["email", "sms", "webhook", "slack", "teams", "discord"] | None = None, state: Literal["pending", "active", "quarantined", "unsubscribed"] | None = None) -> Iterator[models.ListStatusSubscribersItem]:
        """List status subscribers."""
        return self.pages("/v1/admin/status/subscribers", {}, query={"limit": limit, "channel": channel, "state": state})

    def report_bounced_addresses(self, body: models.ReportBouncedAddressesRequest | None = None, *, idempotency_key: str | None = None) -> models.ReportBouncedAddressesResponse:
        """Report bounced addresses.

        Needed only for bounces that arrive later. An address or number that is refused during sending, or by a signed delivery report of the carrier, is suspended by itself.
        """
        return self.call("POST", "/v1/admin/status/subscribers/bounces", {}, body=body, idempotency_key=idempotency_key, keyed=True)

    def count_who_would_be_told(self, *, component_ids: str | None = None) -> models.CountWhoWouldBeToldResponse:
        """Count who would be told.

        The active subscribers who get a message about an incident or a maintenance of the components.
        """
        return self.call("GET", "/v1/admin/status/subscribers/count", {}, query={"componentIds": component_ids})

    def import_subscribers_who_consented_elsewhere(self, body: models.ImportSubscribersWhoConsentedElsewhereRequest, *, idempotency_key: str | None = None) -> models.ImportSubscribersWhoConsentedElsewhereResponse:
        """Import subscribers who consented elsewhere.

        People who are subscribed already or have unsubscribed are skipped.
        """
        return self.call("POST", "/v1/admin/status/subscribers/import", {}, body=body, idempotency_key=idempotency_key, keyed=True)

    def delete_subscriber(self, id_: str, *, if_match: str | None = None) -> None:
        """Delete a subscriber."""
        return self.call("DELETE", "/v1/admin/status/subscribers/{id}", {"id": id_}, if_match=if_match)

    def read_status_subscriber(self, id_: str) -> models.ReadStatusSubscriberResponse:
        """Read a status subscriber."""
        return self.call("GET", "/v1/admin/status/subscribers/{id}", {"id": id_})

    def list_templates_of_incidents_and_maintenances(self, *, limit: int | None = None, kind: Literal["incident", "maintenance"] | None = None) -> Iterator[models.StatusTemplate]:
        """List templates of incidents and maintenances."""
        return self.pages("/v1/admin/status/templates", {}, query={"limit": limit, "kind": kind})

    def add_template_of_incident_or_maintenance(self, body: models.AddTemplateOfIncidentOrMaintenanceRequest, *, idempotency_key: str | None = None) -> models.StatusTemplate:
        """Add a template of an incident or maintenance.

        Up to 200. A template announces nothing: the console fills its forms with it.
        """
        return self.call("POST", "/v1/admin/status/templates", {}, body=body, idempotency_key=idempotency_key, keyed=True)

    def remove_template(self, id_: str, *, if_match: str | None = None) -> None:
        """Remove a template."""
        return self.call("DELETE", "/v1/admin/status/templates/{id}", {"id": id_}, if_match=if_match)

    def read_template(self, id_: str) -> models.StatusTemplate:
        """Read a template."""
        return self.call("GET", "/v1/admin/status/templates/{id}", {"id": id_})

    def change_template(self, id_: str, body: models.ChangeTemplateRequest | None = None, *, if_match: str | None = None) -> models.StatusTemplate:
        """Change a template."""
        return self.call("PATCH", "/v1/admin/status/templates/{id}", {"id": id_}, body=body, if_match=if_match)

    def list_webhook_deliveries(self, *, limit: int | None = None, endpoint_id: str | None = None, event_type: str | None = None, status: Literal["pending", "delivered", "retrying", "failed", "blocked"] | None = None, since: str | None = None, until: str | None = None) -> Iterator[models.WebhookDelivery]:
        """List webhook deliveries."""
        return self.pages("/v1/admin/webhooks/deliveries", {}, query={"limit": limit, "endpointId": endpoint_id, "eventType": event_type, "status": status, "since": since, "until": until})

    def read_webhook_delivery_with_its_payload_and_attempts(self, delivery_id: str) -> models.WebhookDeliveryWithAttempts:
        """Read a webhook delivery with its payload and attempts."""
        return self.call("GET", "/v1/admin/webhooks/deliveries/{deliveryId}", {"deliveryId": delivery_id})

    def retry_webhook_delivery(self, delivery_id: str, *, idempotency_key: str | None = None) -> models.WebhookDeliveryWithAttempts:
        """Retry a webhook delivery.

        Makes one more attempt now, whatever the state of the delivery.
        """
        return self.call("POST", "/v1/admin/webhooks/deliveries/{deliveryId}/retry", {"deliveryId": delivery_id}, idempotency_key=idempotency_key, keyed=True)

    def list_webhook_endpoints(self, *, limit: int | None = None) -> Iterator[models.WebhookEndpoint]:
        """List webhook endpoints."""
        return self.pages("/v1/admin/webhooks/endpoints", {}, query={"limit": limit})

    def add_webhook_endpoint(self, body: models.AddWebhookEndpointRequest, *, idempotency_key: str | None = None) -> models.WebhookEndpointWithSecret:
        """Add a webhook endpoint.

        Up to 50 per project environment. The response contains the signing secret, which is shown only once.
        """
        return self.call("POST", "/v1/admin/webhooks/endpoints", {}, body=body, idempotency_key=idempotency_key, keyed=True)

    def remove_webhook_endpoint(self, endpoint_id: str, *, if_match: str | None = None) -> None:
        """Remove a webhook endpoint.

        Pending deliveries are cancelled. Its deliveries remain in the log until their retention ends.
        """
        return self.call("DELETE", "/v1/admin/webhooks/endpoints/{endpointId}", {"endpointId": endpoint_id}, if_match=if_match)

    def read_webhook_endpoint(self, endpoint_id: str) -> models.WebhookEndpoint:
        """Read a webhook endpoint."""
        return self.call("GET", "/v1/admin/webhooks/endpoints/{endpointId}", {"endpointId": endpoint_id})

    def change_webhook_endpoint(self, endpoint_id: str, body: models.ChangeWebhookEndpointRequest | None = None, *, if_match: str | None = None) -> models.WebhookEndpoint:
        """Change a webhook endpoint."""
        return self.call("PATCH", "/v1/admin/webhooks/endpoints/{endpointId}", {"endpointId": endpoint_id}, body=body, if_match=if_match)

    def disable_webhook_endpoint(self, endpoint_id: str, *, idempotency_key: str | None = None) -> models.WebhookEndpoint:
        """Disable a webhook endpoint.

        Pending deliveries are kept until it is enabled again. Events that occur until then are not queued for it.
        """
        return self.call("POST", "/v1/admin/webhooks/endpoints/{endpointId}/disable", {"endpointId": endpoint_id}, idempotency_key=idempotency_key, keyed=True)

    def enable_webhook_endpoint(self, endpoint_id: str, *, idempotency_key: str | None = None) -> models.WebhookEndpoint:
        """Enable a webhook endpoint.

        Pending deliveries continue. Use /recover for the events that occurred while it was disabled.
        """
        return self.call("POST", "/v1/admin/webhooks/endpoints/{endpointId}/enable", {"endpointId": endpoint_id}, idempotency_key=idempotency_key, keyed=True)

    def recover_events_that_webhook_endpoint_missed(self, endpoint_id: str, body: models.RecoverEventsThatWebhookEndpointMissedRequest, *, idempotency_key: str | None = None) -> models.RecoverEventsThatWebhookEndpointMissedResponse:
        """Recover the events that a webhook endpoint missed.

        Sends the events since then that were not delivered to the endpoint and are not waiting for delivery.
        """
        return self.call("POST", "/v1/admin/webhooks/endpoints/{endpointId}/recover", {"endpointId": endpoint_id}, body=body, idempotency_key=idempotency_key, keyed=True)

    def replay_events_to_webhook_endpoint(self, endpoint_id: str, body: models.ReplayEventsToWebhookEndpointRequest, *, idempotency_key: str | None = None) -> models.ReplayEventsToWebhookEndpointResponse:
        """Replay events to a webhook endpoint.

        Sends the events of a time range again, under their own ids, whether they were delivered or not.
        """
        return self.call("POST", "/v1/admin/webhooks/endpoints/{endpointId}/replay", {"endpointId": endpoint_id}, body=body, idempotency_key=idempotency_key, keyed=True)

    def rotate_secret_of_webhook_endpoint(self, endpoint_id: str, body: models.RotateSecretOfWebhookEndpointRequest | None = None, *, idempotency_key: str | None = None) -> models.WebhookEndpointWithSecret:
        """Rotate the secret of a webhook endpoint.

        While both secrets are valid, every delivery has a signature of each.
        """
        return self.call("POST", "/v1/admin/webhooks/endpoints/{endpointId}/secret/rotate", {"endpointId": endpoint_id}, body=body, idempotency_key=idempotency_key, keyed=True)

    def read_statistics_of_webhook_endpoint(self, endpoint_id: str) -> models.ReadStatisticsOfWebhookEndpointResponse:
        """Read the statistics of a webhook endpoint."""
        return self.call("GET", "/v1/admin/webhooks/endpoints/{endpointId}/stats", {"endpointId": endpoint_id})

    def send_test_event_to_webhook_endpoint(self, endpoint_id: str, body: models.SendTestEventToWebhookEndpointRequest | None = None, *, idempotency_key: str | None = None) -> models.SendTestEventToWebhookEndpointResponse:
        """Send a test event to a webhook endpoint."""
        return self.call("POST", "/v1/admin/webhooks/endpoints/{endpointId}/test", {"endpointId": endpoint_id}, body=body, idempotency_key=idempotency_key, keyed=True)

    def list_event_types(self, *, limit: int | None = None) -> Iterator[models.EventType]:
        """List event types.

        All event types with their JSON Schemas and examples, sorted by name.
        """
        return self.pages("/v1/admin/webhooks/event-types", {}, query={"limit": limit})

    def read_event_type(self, type_: str) -> models.EventType:
        """Read an event type."""
        return self.call("GET", "/v1/admin/webhooks/event-types/{type}", {"type": type_})

    def erase_my_account(self, *, if_match: str | None = None) -> models.EraseMyAccountResponse:
        """Erase my account.

        Erases the account after seven days, in every project of the workspace. Ends all sessions immediately; signing in before then keeps the account.
        """
        return self.call("DELETE", "/v1/me", {}, if_match=if_match)

    def read_my_roles_and_permissions(self) -> models.ReadMyRolesAndPermissionsResponse:
        """Read my roles and permissions."""
        return self.call("GET", "/v1/me/authorization", {})

    def check_one_of_my_permissions(self, body: models.CheckOneOfMyPermissionsRequest, *, idempotency_key: str | None = None) -> models.PermissionCheck:
        """Check one of my permissions.

        Says whether you have the permission in the project, in the organization `organizationId`, or on `resource`; with every path that grants it.
        """
        return self.call("POST", "/v1/me/authorization/check", {}, body=body, idempotency_key=idempotency_key, keyed=True)

    def read_my_context(self) -> models.ReadMyContextResponse:
        """Read my context."""
        return self.call("GET", "/v1/me/context", {})

    def read_my_default_organization(self) -> models.DefaultOrganization:
        """Read my default organization."""
        return self.call("GET", "/v1/me/default-organization", {})

    def choose_my_default_organization(self, body: models.DefaultOrganization, *, if_match: str | None = None) -> models.DefaultOrganization:
        """Choose my default organization.

        One of my organizations, or null for none. It gives no access by itself: its policy is checked whenever I enter it.
        """
        return self.call("PUT", "/v1/me/default-organization", {}, body=body, if_match=if_match)

    def list_my_open_invitations(self, *, limit: int | None = None) -> Iterator[models.OwnInvitation]:
        """List my open invitations.

        Those to my verified address, in the project of the session.
        """
        return self.pages("/v1/me/invitations", {}, query={"limit": limit})

    def accept_one_of_my_invitations(self, invitation_id: str, *, idempotency_key: str | None = None) -> None:
        """Accept one of my invitations.

        As by its link. The session stays in the organization that it is in.
        """
        return self.call("POST", "/v1/me/invitations/{invitationId}/accept", {"invitationId": invitation_id}, idempotency_key=idempotency_key, keyed=True)

    def decline_one_of_my_invitations(self, invitation_id: str, *, idempotency_key: str | None = None) -> None:
        """Decline one of my invitations.

        Its link becomes invalid, and the person can be invited again.
        """
        return self.call("POST", "/v1/me/invitations/{invitationId}/decline", {"invitationId": invitation_id}, idempotency_key=idempotency_key, keyed=True)

    def list_my_linked_identities(self, *, limit: int | None = None) -> Iterator[models.LinkedIdentity]:
        """List my linked identities."""
        return self.pages("/v1/me/linked-identities", {}, query={"limit": limit})

    def link_identity(self, body: models.LinkIdentityRequest | None = None, *, idempotency_key: str | None = None) -> models.LinkIdentityResponse:
        """Link an identity.

        In two steps: with `provider`, `clientId` and `redirectUri` it returns the `url` to open in the browser; with the `code` from the redirect address, in the same session, it links the identity (201). The `linkToken` of a sign-in that returned `link_required` also links it.
        """
        return self.call("POST", "/v1/me/linked-identities", {}, body=body, idempotency_key=idempotency_key, keyed=True)

    def unlink_identity(self, identity_id: str, *, if_match: str | None = None) -> None:
        """Unlink an identity."""
        return self.call("DELETE", "/v1/me/linked-identities/{identityId}", {"identityId": identity_id}, if_match=if_match)

    def read_one_of_my_linked_identities(self, identity_id: str) -> models.LinkedIdentity:
        """Read one of my linked identities."""
        return self.call("GET", "/v1/me/linked-identities/{identityId}", {"identityId": identity_id})

    def list_my_memberships(self, *, limit: int | None = None) -> Iterator[models.ListMyMembershipsItem]:
        """List my memberships."""
        return self.pages("/v1/me/memberships", {}, query={"limit": limit})

    def leave_project(self, member_id: str, *, if_match: str | None = None) -> None:
        """Leave a project.

        Ends the sessions in the project; roles are not restored. If this was the person’s last project, the account is erased after seven days unless they sign in again.
        """
        return self.call("DELETE", "/v1/me/memberships/{memberId}", {"memberId": member_id}, if_match=if_match)

    def read_one_of_my_memberships(self, member_id: str) -> models.ReadOneOfMyMembershipsResponse:
        """Read one of my memberships."""
        return self.call("GET", "/v1/me/memberships/{memberId}", {"memberId": member_id})

    def list_my_organizations(self, *, limit: int | None = None) -> Iterator[models.OwnOrganization]:
        """List my organizations."""
        return self.pages("/v1/me/organizations", {}, query={"limit": limit})

    def add_organization_of_my_own(self, body: models.AddOrganizationOfMyOwnRequest, *, idempotency_key: str | None = None) -> models.OwnOrganization:
        """Add an organization of my own.

        I become its owner. The setting `maxOwnOrganizations` says how many a member may own; 0: none.
        """
        return self.call("POST", "/v1/me/organizations", {}, body=body, idempotency_key=idempotency_key, keyed=True)

    def leave_organization(self, organization_id: str, *, if_match: str | None = None) -> None:
        """Leave an organization.

        Roles in it are not restored. I stay a member of the project.
        """
        return self.call("DELETE", "/v1/me/organizations/{organizationId}", {"organizationId": organization_id}, if_match=if_match)

    def read_one_of_my_organizations(self, organization_id: str) -> models.OwnOrganization:
        """Read one of my organizations."""
        return self.call("GET", "/v1/me/organizations/{organizationId}", {"organizationId": organization_id})

    def change_one_of_my_organizations(self, organization_id: str, body: models.ChangeOneOfMyOrganizationsRequest | None = None, *, if_match: str | None = None) -> models.OwnOrganization:
        """Change one of my organizations.

        Takes `org.profile:write` in it.
        """
        return self.call("PATCH", "/v1/me/organizations/{organizationId}", {"organizationId": organization_id}, body=body, if_match=if_match)

    def read_audit_log_of_one_of_my_organizations(self, organization_id: str, *, limit: int | None = None, since: str | None = None, until: str | None = None) -> Iterator[models.OrganizationAuditEvent]:
        """Read the audit log of one of my organizations.

        Takes `org.audit:read` in it. Lists changes of the organization, its members, domains and invitations, newest first.
        """
        return self.pages("/v1/me/organizations/{organizationId}/audit-events", {"organizationId": organization_id}, query={"limit": limit, "since": since, "until": until})

    def read_branding_of_one_of_my_organizations(self, organization_id: str) -> models.OrganizationBranding:
        """Read the branding of one of my organizations."""
        return self.call("GET", "/v1/me/organizations/{organizationId}/branding", {"organizationId": organization_id})

    def change_branding_of_one_of_my_organizations(self, organization_id: str, body: models.ChangeBrandingOfOneOfMyOrganizationsRequest | None = None, *, if_match: str | None = None) -> models.OrganizationBranding:
        """Change the branding of one of my organizations.

        Takes `org.profile:write` in it. Null stands for the project’s branding.
        """
        return self.call("PATCH", "/v1/me/organizations/{organizationId}/branding", {"organizationId": organization_id}, body=body, if_match=if_match)

    def read_uploaded_images_of_one_of_my_organizations(self, organization_id: str) -> models.BrandingImages:
        """Read the uploaded images of one of my organizations."""
        return self.call("GET", "/v1/me/organizations/{organizationId}/branding/images", {"organizationId": organization_id})

    def remove_image_of_one_of_my_organizations(self, organization_id: str, use: str, *, if_match: str | None = None) -> models.BrandingImages:
        """Remove an image of one of my organizations.

        Takes `org.profile:write` in it.
        """
        return self.call("DELETE", "/v1/me/organizations/{organizationId}/branding/images/{use}", {"organizationId": organization_id, "use": use}, if_match=if_match)

    def upload_image_of_one_of_my_organizations(self, organization_id: str, use: str, body: models.UploadImageOfOneOfMyOrganizationsRequest, *, if_match: str | None = None) -> models.BrandingImages:
        """Upload an image of one of my organizations.

        Takes `org.profile:write` in it.
        """
        return self.call("PUT", "/v1/me/organizations/{organizationId}/branding/images/{use}", {"organizationId": organization_id, "use": use}, body=body, if_match=if_match)

    def list_connections_of_one_of_my_organizations(self, organization_id: str, *, limit: int | None = None) -> Iterator[models.OrganizationConnection]:
        """List the connections of one of my organizations.

        Takes `org.connections:read` in it, where the project’s setting `organizationSelfService` has `connections`.
        """
        return self.pages("/v1/me/organizations/{organizationId}/connections", {"organizationId": organization_id}, query={"limit": limit})

    def add_connection_to_one_of_my_organizations(self, organization_id: str, body: models.AddConnectionToOneOfMyOrganizationsRequest, *, idempotency_key: str | None = None) -> models.OrganizationConnection:
        """Add a connection to one of my organizations.

        Takes `org.connections:write` in it, where the project’s setting `organizationSelfService` has `connections`, and every permission of the roles of the connection. It is disabled until you enable it.
        """
        return self.call("POST", "/v1/me/organizations/{organizationId}/connections", {"organizationId": organization_id}, body=body, idempotency_key=idempotency_key, keyed=True)

    def remove_connection_of_one_of_my_organizations(self, organization_id: str, connection_id: str, *, if_match: str | None = None) -> None:
        """Remove a connection of one of my organizations.

        Takes `org.connections:write` in it, where the project’s setting `organizationSelfService` has `connections`, and every permission of its roles. Ends the sessions that began through it.
        """
        return self.call("DELETE", "/v1/me/organizations/{organizationId}/connections/{connectionId}", {"organizationId": organization_id, "connectionId": connection_id}, if_match=if_match)

    def read_connection_of_one_of_my_organizations(self, organization_id: str, connection_id: str) -> models.OrganizationConnection:
        """Read a connection of one of my organizations.

        Takes `org.connections:read` in it, where the project’s setting `organizationSelfService` has `connections`.
        """
        return self.call("GET", "/v1/me/organizations/{organizationId}/connections/{connectionId}", {"organizationId": organization_id, "connectionId": connection_id})

    def change_connection_of_one_of_my_organizations(self, organization_id: str, connection_id: str, body: models.ChangeConnectionOfOneOfMyOrganizationsRequest | None = None, *, if_match: str | None = None) -> models.OrganizationConnection:
        """Change a connection of one of my organizations.

        Takes `org.connections:write` in it, where the project’s setting `organizationSelfService` has `connections`, and every permission of its roles, before and afterwards. Disabling it, or changing its identity provider, ends the sessions that began through it.
        """
        return self.call("PATCH", "/v1/me/organizations/{organizationId}/connections/{connectionId}", {"organizationId": organization_id, "connectionId": connection_id}, body=body, if_match=if_match)

    def test_connection_of_one_of_my_organizations(self, organization_id: str, connection_id: str, *, idempotency_key: str | None = None) -> models.TestConnectionOfOneOfMyOrganizationsResponse:
        """Test a connection of one of my organizations.

        Takes `org.connections:write` in it, where the project’s setting `organizationSelfService` has `connections`. Checks that the identity provider responds as configured; signs nobody in.
        """
        return self.call("POST", "/v1/me/organizations/{organizationId}/connections/{connectionId}/test", {"organizationId": organization_id, "connectionId": connection_id}, idempotency_key=idempotency_key, keyed=True)

    def start_test_sign_in_through_connection_of_one_of_my_organizations(self, organization_id: str, connection_id: str, *, idempotency_key: str | None = None) -> models.StartedConnectionTestSignIn:
        """Start a test sign-in through a connection of one of my organizations.

        Takes `org.connections:write` in it, where the project’s setting `organizationSelfService` has `connections`. Open `url` in a browser and sign in at the identity provider. Nobody is signed in, and no account changes.
        """
        return self.call("POST", "/v1/me/organizations/{organizationId}/connections/{connectionId}/test-sign-ins", {"organizationId": organization_id, "connectionId": connection_id}, idempotency_key=idempotency_key, keyed=True)

    def read_test_sign_in_through_connection_of_one_of_my_organizations(self, organization_id: str, connection_id: str, test_sign_in_id: str) -> models.ConnectionTestSignIn:
        """Read a test sign-in through a connection of one of my organizations.

        Takes `org.connections:write` in it, where the project’s setting `organizationSelfService` has `connections`.
        """
        return self.call("GET", "/v1/me/organizations/{organizationId}/connections/{connectionId}/test-sign-ins/{testSignInId}", {"organizationId": organization_id, "connectionId": connection_id, "testSignInId": test_sign_in_id})

    def list_custom_domains_of_one_of_my_organizations(self, organization_id: str, *, limit: int | None = None) -> Iterator[models.Domain]:
        """List the custom domains of one of my organizations.

        Takes `org.domains:read` in it.
        """
        return self.pages("/v1/me/organizations/{organizationId}/custom-domains", {"organizationId": organization_id}, query={"limit": limit})

    def add_custom_domain_to_one_of_my_organizations(self, organization_id: str, body: models.AddCustomDomainToOneOfMyOrganizationsRequest, *, idempotency_key: str | None = None) -> models.Domain:
        """Add a custom domain to one of my organizations.

        Takes `org.domains:write` in it. Publish the TXT record of `verification`, then verify it.
        """
        return self.call("POST", "/v1/me/organizations/{organizationId}/custom-domains", {"organizationId": organization_id}, body=body, idempotency_key=idempotency_key, keyed=True)

    def remove_custom_domain_from_one_of_my_organizations(self, organization_id: str, domain_id: str, *, if_match: str | None = None) -> None:
        """Remove a custom domain from one of my organizations.

        Takes `org.domains:write` in it. Nobody can sign in at it from then on.
        """
        return self.call("DELETE", "/v1/me/organizations/{organizationId}/custom-domains/{domainId}", {"organizationId": organization_id, "domainId": domain_id}, if_match=if_match)

    def read_custom_domain_of_one_of_my_organizations(self, organization_id: str, domain_id: str) -> models.Domain:
        """Read a custom domain of one of my organizations.

        Takes `org.domains:read` in it.
        """
        return self.call("GET", "/v1/me/organizations/{organizationId}/custom-domains/{domainId}", {"organizationId": organization_id, "domainId": domain_id})

    def verify_custom_domain_of_one_of_my_organizations(self, organization_id: str, domain_id: str, *, idempotency_key: str | None = None) -> models.Domain:
        """Verify a custom domain of one of my organizations.

        Takes `org.domains:write` in it. Looks up the TXT record now; the domain then signs people in.
        """
        return self.call("POST", "/v1/me/organizations/{organizationId}/custom-domains/{domainId}/verify", {"organizationId": organization_id, "domainId": domain_id}, idempotency_key=idempotency_key, keyed=True)

    def list_mail_domains_of_one_of_my_organizations(self, organization_id: str, *, limit: int | None = None) -> Iterator[models.OrganizationDomain]:
        """List the mail domains of one of my organizations.

        Takes `org.domains:read` in it.
        """
        return self.pages("/v1/me/organizations/{organizationId}/domains", {"organizationId": organization_id}, query={"limit": limit})

    def add_mail_domain_to_one_of_my_organizations(self, organization_id: str, body: models.AddMailDomainToOneOfMyOrganizationsRequest, *, idempotency_key: str | None = None) -> models.OrganizationDomain:
        """Add a mail domain to one of my organizations.

        Takes `org.domains:write` in it. Publish the TXT record of `verification`, then verify it.
        """
        return self.call("POST", "/v1/me/organizations/{organizationId}/domains", {"organizationId": organization_id}, body=body, idempotency_key=idempotency_key, keyed=True)

    def remove_mail_domain_from_one_of_my_organizations(self, organization_id: str, domain_id: str, *, if_match: str | None = None) -> None:
        """Remove a mail domain from one of my organizations.

        Takes `org.domains:write` in it. People who joined by the domain stay members.
        """
        return self.call("DELETE", "/v1/me/organizations/{organizationId}/domains/{domainId}", {"organizationId": organization_id, "domainId": domain_id}, if_match=if_match)

    def read_mail_domain_of_one_of_my_organizations(self, organization_id: str, domain_id: str) -> models.OrganizationDomain:
        """Read a mail domain of one of my organizations.

        Takes `org.domains:read` in it.
        """
        return self.call("GET", "/v1/me/organizations/{organizationId}/domains/{domainId}", {"organizationId": organization_id, "domainId": domain_id})

    def change_who_joins_one_of_my_organizations_by_mail_domain(self, organization_id: str, domain_id: str, body: models.ChangeWhoJoinsOneOfMyOrganizationsByMailDomainRequest | None = None, *, if_match: str | None = None) -> models.OrganizationDomain:
        """Change who joins one of my organizations by a mail domain.

        Takes `org.domains:write` and `org.members:write` in it, and every permission of the roles.
        """
        return self.call("PATCH", "/v1/me/organizations/{organizationId}/domains/{domainId}", {"organizationId": organization_id, "domainId": domain_id}, body=body, if_match=if_match)

    def verify_mail_domain_of_one_of_my_organizations(self, organization_id: str, domain_id: str, *, idempotency_key: str | None = None) -> models.OrganizationDomain:
        """Verify a mail domain of one of my organizations.

        Takes `org.domains:write` in it. Looks up the TXT record now.
        """
        return self.call("POST", "/v1/me/organizations/{organizationId}/domains/{domainId}/verify", {"organizationId": organization_id, "domainId": domain_id}, idempotency_key=idempotency_key, keyed=True)

    def list_invitations_to_one_of_my_organizations(self, organization_id: str, *, limit: int | None = None, status: Literal["pending", "accepted", "revoked", "expired", "declined"] | None = None) -> Iterator[models.OrganizationInvitation]:
        """List the invitations to one of my organizations.

        Takes `org.invitations:read` in it.
        """
        return self.pages("/v1/me/organizations/{organizationId}/invitations", {"organizationId": organization_id}, query={"limit": limit, "status": status})

    def invite_person_to_one_of_my_organizations(self, organization_id: str, body: models.InvitePersonToOneOfMyOrganizationsRequest, *, idempotency_key: str | None = None) -> models.OrganizationInvitation:
        """Invite a person to one of my organizations.

        Takes `org.invitations:write` in it, and every permission of the roles, except the project’s own permissions of a `delegable` role. The person becomes a member of the project, too. An organization sends up to 100 invitations in an hour.
        """
        return self.call("POST", "/v1/me/organizations/{organizationId}/invitations", {"organizationId": organization_id}, body=body, idempotency_key=idempotency_key, keyed=True)

    def revoke_invitation_to_one_of_my_organizations(self, organization_id: str, invitation_id: str, *, if_match: str | None = None) -> None:
        """Revoke an invitation to one of my organizations.

        Takes the same permissions as sending it.
        """
        return self.call("DELETE", "/v1/me/organizations/{organizationId}/invitations/{invitationId}", {"organizationId": organization_id, "invitationId": invitation_id}, if_match=if_match)

    def read_invitation_to_one_of_my_organizations(self, organization_id: str, invitation_id: str) -> models.OrganizationInvitation:
        """Read an invitation to one of my organizations.

        Takes `org.invitations:read` in it.
        """
        return self.call("GET", "/v1/me/organizations/{organizationId}/invitations/{invitationId}", {"organizationId": organization_id, "invitationId": invitation_id})

    def resend_invitation_to_one_of_my_organizations(self, organization_id: str, invitation_id: str, *, idempotency_key: str | None = None) -> models.OrganizationInvitation:
        """Resend an invitation to one of my organizations.

        Takes the same permissions as sending it. The previous link becomes invalid.
        """
        return self.call("POST", "/v1/me/organizations/{organizationId}/invitations/{invitationId}/resend", {"organizationId": organization_id, "invitationId": invitation_id}, idempotency_key=idempotency_key, keyed=True)

    def list_members_of_one_of_my_organizations(self, organization_id: str, *, limit: int | None = None, role: str | None = None) -> Iterator[models.Colleague]:
        """List the members of one of my organizations.

        Takes `org.members:read` in it.
        """
        return self.pages("/v1/me/organizations/{organizationId}/members", {"organizationId": organization_id}, query={"limit": limit, "role": role})

    def remove_member_from_one_of_my_organizations(self, organization_id: str, member_id: str, *, if_match: str | None = None) -> None:
        """Remove a member from one of my organizations.

        Takes `org.members:write` in it, and every permission in the organization that the member has. The person stays a member of the project.
        """
        return self.call("DELETE", "/v1/me/organizations/{organizationId}/members/{memberId}", {"organizationId": organization_id, "memberId": member_id}, if_match=if_match)

    def read_member_of_one_of_my_organizations(self, organization_id: str, member_id: str) -> models.Colleague:
        """Read a member of one of my organizations.

        Takes `org.members:read` in it.
        """
        return self.call("GET", "/v1/me/organizations/{organizationId}/members/{memberId}", {"organizationId": organization_id, "memberId": member_id})

    def replace_roles_of_member_in_one_of_my_organizations(self, organization_id: str, member_id: str, body: models.ReplaceRolesOfMemberInOneOfMyOrganizationsRequest, *, if_match: str | None = None) -> models.Colleague:
        """Replace the roles of a member in one of my organizations.

        Takes `org.members:write` in it, and every permission of the roles that the member has or would have. The project’s own permissions in a role count only if the role is not `delegable`.
        """
        return self.call("PUT", "/v1/me/organizations/{organizationId}/members/{memberId}/roles", {"organizationId": organization_id, "memberId": member_id}, body=body, if_match=if_match)

    def read_policy_of_one_of_my_organizations(self, organization_id: str) -> models.OrganizationPolicy:
        """Read the policy of one of my organizations.

        Takes `org.policy:read` in it, where the project’s setting `organizationSelfService` has `policy`.
        """
        return self.call("GET", "/v1/me/organizations/{organizationId}/policy", {"organizationId": organization_id})

    def change_policy_of_one_of_my_organizations(self, organization_id: str, body: models.ChangePolicyOfOneOfMyOrganizationsRequest | None = None, *, if_match: str | None = None) -> models.OrganizationPolicy:
        """Change the policy of one of my organizations.

        Takes `org.policy:write` in it, where the project’s setting `organizationSelfService` has `policy`. The policy can only be stricter than the project’s settings; it applies to me, too.
        """
        return self.call("PATCH", "/v1/me/organizations/{organizationId}/policy", {"organizationId": organization_id}, body=body, if_match=if_match)

    def list_roles_of_one_of_my_organizations(self, organization_id: str, *, limit: int | None = None) -> Iterator[models.RoleInOrganization]:
        """List the roles of one of my organizations.

        Takes `org.members:read` in it.
        """
        return self.pages("/v1/me/organizations/{organizationId}/roles", {"organizationId": organization_id}, query={"limit": limit})

    def list_groups_of_directory_of_one_of_my_organizations(self, organization_id: str, *, limit: int | None = None) -> Iterator[models.DirectoryGroup]:
        """List the groups of the directory of one of my organizations.

        Takes `org.directory:read` in it, where the project’s setting `organizationSelfService` has `directory`.
        """
        return self.pages("/v1/me/organizations/{organizationId}/scim/groups", {"organizationId": organization_id}, query={"limit": limit})

    def read_group_of_directory_of_one_of_my_organizations(self, organization_id: str, group_id: str) -> models.DirectoryGroup:
        """Read a group of the directory of one of my organizations.

        Takes `org.directory:read` in it, where the project’s setting `organizationSelfService` has `directory`.
        """
        return self.call("GET", "/v1/me/organizations/{organizationId}/scim/groups/{groupId}", {"organizationId": organization_id, "groupId": group_id})

    def choose_roles_of_directory_group_of_one_of_my_organizations(self, organization_id: str, group_id: str, body: models.ChooseRolesOfDirectoryGroupOfOneOfMyOrganizationsRequest, *, if_match: str | None = None) -> models.DirectoryGroup:
        """Choose the roles of a directory group of one of my organizations.

        Takes `org.directory:write` in it, where the project’s setting `organizationSelfService` has `directory`, and every permission of the roles, before and afterwards; of a delegable role only those in the organization. The members of the group have these roles from now on and at once.
        """
        return self.call("PUT", "/v1/me/organizations/{organizationId}/scim/groups/{groupId}/roles", {"organizationId": organization_id, "groupId": group_id}, body=body, if_match=if_match)

    def read_provisioning_log_of_one_of_my_organizations(self, organization_id: str, *, limit: int | None = None, outcome: Literal["applied", "refused"] | None = None) -> Iterator[models.ProvisioningLogEntry]:
        """Read the provisioning log of one of my organizations.

        Takes `org.directory:read` in it, where the project’s setting `organizationSelfService` has `directory`. What its directory did, newest first, with the reason of each refusal.
        """
        return self.pages("/v1/me/organizations/{organizationId}/scim/log", {"organizationId": organization_id}, query={"limit": limit, "outcome": outcome})

    def list_scim_tokens_of_one_of_my_organizations(self, organization_id: str, *, limit: int | None = None) -> Iterator[models.ScimToken]:
        """List the SCIM tokens of one of my organizations.

        Takes `org.directory:read` in it, where the project’s setting `organizationSelfService` has `directory`.
        """
        return self.pages("/v1/me/organizations/{organizationId}/scim/tokens", {"organizationId": organization_id}, query={"limit": limit})

    def issue_scim_token_of_one_of_my_organizations(self, organization_id: str, body: models.IssueScimTokenOfOneOfMyOrganizationsRequest, *, idempotency_key: str | None = None) -> models.IssueScimTokenOfOneOfMyOrganizationsResponse:
        """Issue a SCIM token of one of my organizations.

        Takes `org.directory:write` in it, where the project’s setting `organizationSelfService` has `directory`. With it, the directory of the company adds, changes and deactivates members.
        """
        return self.call("POST", "/v1/me/organizations/{organizationId}/scim/tokens", {"organizationId": organization_id}, body=body, idempotency_key=idempotency_key, keyed=True)

    def remove_scim_token_of_one_of_my_organizations(self, organization_id: str, token_id: str, *, if_match: str | None = None) -> None:
        """Remove a SCIM token of one of my organizations.

        Takes `org.directory:write` in it, where the project’s setting `organizationSelfService` has `directory`. The next request with it is refused. The people and groups that it provisioned stay.
        """
        return self.call("DELETE", "/v1/me/organizations/{organizationId}/scim/tokens/{tokenId}", {"organizationId": organization_id, "tokenId": token_id}, if_match=if_match)

    def read_scim_token_of_one_of_my_organizations(self, organization_id: str, token_id: str) -> models.ScimToken:
        """Read a SCIM token of one of my organizations.

        Takes `org.directory:read` in it, where the project’s setting `organizationSelfService` has `directory`. Without the token itself.
        """
        return self.call("GET", "/v1/me/organizations/{organizationId}/scim/tokens/{tokenId}", {"organizationId": organization_id, "tokenId": token_id})

    def list_set_up_links_of_one_of_my_organizations(self, organization_id: str, *, limit: int | None = None) -> Iterator[models.SetupLink]:
        """List the set-up links of one of my organizations.

        Takes `org.profile:write` in it.
        """
        return self.pages("/v1/me/organizations/{organizationId}/setup-links", {"organizationId": organization_id}, query={"limit": limit})

    def make_set_up_link_of_one_of_my_organizations(self, organization_id: str, body: models.MakeSetUpLinkOfOneOfMyOrganizationsRequest, *, idempotency_key: str | None = None) -> models.MakeSetUpLinkOfOneOfMyOrganizationsResponse:
        """Make a set-up link of one of my organizations.

        Takes `org.profile:write` in it, and what each task takes: `domains` takes `org.domains:write`, `team` takes `org.invitations:write` and every permission of `roles`; `connection` takes `org.connections:write`, `directory` `org.directory:write` and `policies` `org.policy:write`, where the project’s setting `organizationSelfService` has the area.
        """
        return self.call("POST", "/v1/me/organizations/{organizationId}/setup-links", {"organizationId": organization_id}, body=body, idempotency_key=idempotency_key, keyed=True)

    def revoke_set_up_link_of_one_of_my_organizations(self, organization_id: str, setup_link_id: str, *, if_match: str | None = None) -> None:
        """Revoke a set-up link of one of my organizations.

        Takes `org.profile:write` in it. Those who work with it are stopped immediately.
        """
        return self.call("DELETE", "/v1/me/organizations/{organizationId}/setup-links/{setupLinkId}", {"organizationId": organization_id, "setupLinkId": setup_link_id}, if_match=if_match)

    def read_set_up_link_of_one_of_my_organizations(self, organization_id: str, setup_link_id: str) -> models.SetupLink:
        """Read a set-up link of one of my organizations.

        Takes `org.profile:write` in it. Without the link itself.
        """
        return self.call("GET", "/v1/me/organizations/{organizationId}/setup-links/{setupLinkId}", {"organizationId": organization_id, "setupLinkId": setup_link_id})

    def read_my_profile(self) -> models.Profile:
        """Read my profile."""
        return self.call("GET", "/v1/me/profile", {})

    def change_my_profile(self, body: models.ChangeMyProfileRequest | None = None, *, if_match: str | None = None) -> models.Profile:
        """Change my profile."""
        return self.call("PATCH", "/v1/me/profile", {}, body=body, if_match=if_match)

    def change_my_email_address(self, body: models.ChangeMyEmailAddressRequest, *, idempotency_key: str | None = None) -> models.StartedChallenge:
        """Change my email address.

        Mails a code to the new address, or to the current one if it is not verified; the code makes the change. The response is the same for an address that is taken.
        """
        return self.call("POST", "/v1/me/profile/email", {}, body=body, idempotency_key=idempotency_key, keyed=True)

    def confirm_my_new_email_address(self, body: models.ConfirmMyNewEmailAddressRequest, *, idempotency_key: str | None = None) -> None:
        """Confirm my new email address."""
        return self.call("POST", "/v1/me/profile/email/verify", {}, body=body, idempotency_key=idempotency_key, keyed=True)

    def export_my_data(self) -> models.ExportMyDataResponse:
        """Export my data.

        Machine-readable (GDPR Art. 15 and 20). Secrets such as password hashes are not part of it.
        """
        return self.call("GET", "/v1/me/profile/export", {})

    def change_my_phone_number(self, body: models.ChangeMyPhoneNumberRequest, *, idempotency_key: str | None = None) -> models.StartedChallenge:
        """Change my phone number.

        Sends a code to the new number; the code makes the change.
        """
        return self.call("POST", "/v1/me/profile/phone", {}, body=body, idempotency_key=idempotency_key, keyed=True)

    def confirm_my_new_phone_number(self, body: models.ConfirmMyNewPhoneNumberRequest, *, idempotency_key: str | None = None) -> None:
        """Confirm my new phone number."""
        return self.call("POST", "/v1/me/profile/phone/verify", {}, body=body, idempotency_key=idempotency_key, keyed=True)

    def read_my_security_settings(self) -> models.ReadMySecuritySettingsResponse:
        """Read my security settings."""
        return self.call("GET", "/v1/me/security", {})

    def list_applications_iam_signed_in_to(self, *, limit: int | None = None) -> Iterator[models.ListApplicationsIAmSignedInToItem]:
        """List the applications I am signed in to.

        Of the newest hundred sessions, with the sessions each of them uses.
        """
        return self.pages("/v1/me/security/applications", {}, query={"limit": limit})

    def revoke_application_access(self, client_id: str, *, if_match: str | None = None) -> None:
        """Revoke an application’s access.

        Its tokens end immediately, and a third-party application asks for consent again.
        """
        return self.call("DELETE", "/v1/me/security/applications/{clientId}", {"clientId": client_id}, if_match=if_match)

    def read_application_iam_signed_in_to(self, client_id: str) -> models.ReadApplicationIAmSignedInToResponse:
        """Read an application I am signed in to."""
        return self.call("GET", "/v1/me/security/applications/{clientId}", {"clientId": client_id})

    def remove_remembered_device(self, device_id: str, *, if_match: str | None = None) -> None:
        """Remove a remembered device."""
        return self.call("DELETE", "/v1/me/security/devices/{deviceId}", {"deviceId": device_id}, if_match=if_match)

    def end_every_impersonation_of_me(self, *, if_match: str | None = None) -> None:
        """End every impersonation of me."""
        return self.call("DELETE", "/v1/me/security/impersonation", {}, if_match=if_match)

    def read_who_acts_as_me(self) -> models.Impersonations:
        """Read who acts as me."""
        return self.call("GET", "/v1/me/security/impersonation", {})

    def remove_my_phone_as_second_factor(self, *, if_match: str | None = None) -> None:
        """Remove my phone as second factor."""
        return self.call("DELETE", "/v1/me/security/mfa/phone", {}, if_match=if_match)

    def set_up_phone_as_second_factor(self, body: models.SetUpPhoneAsSecondFactorRequest, *, idempotency_key: str | None = None) -> models.StartedChallenge:
        """Set up a phone as second factor.

        Sends a code that confirms the phone. A phone is a restricted authenticator: an app or a passkey is safer.
        """
        return self.call("POST", "/v1/me/security/mfa/phone", {}, body=body, idempotency_key=idempotency_key, keyed=True)

    def confirm_phone_as_second_factor(self, body: models.ConfirmPhoneAsSecondFactorRequest, *, idempotency_key: str | None = None) -> models.ConfirmPhoneAsSecondFactorResponse:
        """Confirm the phone as second factor."""
        return self.call("POST", "/v1/me/security/mfa/phone/confirm", {}, body=body, idempotency_key=idempotency_key, keyed=True)

    def remove_my_authenticator_app(self, *, if_match: str | None = None) -> None:
        """Remove my authenticator app."""
        return self.call("DELETE", "/v1/me/security/mfa/totp", {}, if_match=if_match)

    def set_up_authenticator_app(self, body: dict[str, Any] | None = None, *, idempotency_key: str | None = None) -> models.SetUpAuthenticatorAppResponse:
        """Set up an authenticator app.

        It becomes a factor when it is confirmed with a code.
        """
        return self.call("POST", "/v1/me/security/mfa/totp", {}, body=body, idempotency_key=idempotency_key, keyed=True)

    def confirm_authenticator_app(self, body: models.ConfirmAuthenticatorAppRequest, *, idempotency_key: str | None = None) -> models.ConfirmAuthenticatorAppResponse:
        """Confirm the authenticator app.

        The first second factor comes with ten recovery codes.
        """
        return self.call("POST", "/v1/me/security/mfa/totp/confirm", {}, body=body, idempotency_key=idempotency_key, keyed=True)

    def add_passkey(self, body: models.AddPasskeyRequest, *, idempotency_key: str | None = None) -> models.AddPasskeyResponse:
        """Add a passkey."""
        return self.call("POST", "/v1/me/security/passkeys", {}, body=body, idempotency_key=idempotency_key, keyed=True)

    def start_adding_passkey(self, body: dict[str, Any] | None = None, *, idempotency_key: str | None = None) -> models.StartAddingPasskeyResponse:
        """Start adding a passkey.

        Options for `navigator.credentials.create()`.
        """
        return self.call("POST", "/v1/me/security/passkeys/options", {}, body=body, idempotency_key=idempotency_key, keyed=True)

    def remove_passkey(self, passkey_id: str, *, if_match: str | None = None) -> None:
        """Remove a passkey."""
        return self.call("DELETE", "/v1/me/security/passkeys/{passkeyId}", {"passkeyId": passkey_id}, if_match=if_match)

    def read_one_of_my_passkeys(self, passkey_id: str) -> models.Passkey:
        """Read one of my passkeys."""
        return self.call("GET", "/v1/me/security/passkeys/{passkeyId}", {"passkeyId": passkey_id})

    def change_passkey(self, passkey_id: str, body: models.ChangePasskeyRequest | None = None, *, if_match: str | None = None) -> models.ChangePasskeyResponse:
        """Change a passkey."""
        return self.call("PATCH", "/v1/me/security/passkeys/{passkeyId}", {"passkeyId": passkey_id}, body=body, if_match=if_match)

    def change_my_password(self, body: models.ChangeMyPasswordRequest, *, if_match: str | None = None) -> None:
        """Change my password.

        Ends every other session. Requires the current password if there is one.
        """
        return self.call("PUT", "/v1/me/security/password", {}, body=body, if_match=if_match)

    def create_new_recovery_codes(self, body: dict[str, Any] | None = None, *, idempotency_key: str | None = None) -> models.CreateNewRecoveryCodesResponse:
        """Create new recovery codes.

        Creates ten codes, shown once; the previous ones stop working.
        """
        return self.call("POST", "/v1/me/security/recovery-codes", {}, body=body, idempotency_key=idempotency_key, keyed=True)

    def end_my_other_sessions(self, *, if_match: str | None = None) -> None:
        """End my other sessions."""
        return self.call("DELETE", "/v1/me/security/sessions", {}, if_match=if_match)

    def list_my_sessions(self, *, limit: int | None = None) -> Iterator[models.OwnSession]:
        """List my sessions."""
        return self.pages("/v1/me/security/sessions", {}, query={"limit": limit})

    def end_one_of_my_sessions(self, session_id: str, *, if_match: str | None = None) -> None:
        """End one of my sessions."""
        return self.call("DELETE", "/v1/me/security/sessions/{sessionId}", {"sessionId": session_id}, if_match=if_match)

    def read_one_of_my_sessions(self, session_id: str) -> models.OwnSession:
        """Read one of my sessions."""
        return self.call("GET", "/v1/me/security/sessions/{sessionId}", {"sessionId": session_id})
