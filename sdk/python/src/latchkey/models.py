# Made from the OpenAPI description by sdk/languages. Change that instead.
"""The records of Latchkey's API, as they stand in JSON."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict


class Action(TypedDict):
    createdAt: str
    enabled: bool
    id: str
    # When it is called. `registration`: before an account of a person is created who registers, or who signs in for the first time; `sign_in`: before a sign-in completes, after every proof; `token`: before a token is signed, to add claims; `message`: before a mail or text message is sent; `password`: when a password is wrong here, to ask the system that people come from.
    moment: Literal["registration", "sign_in", "token", "message", "password"]
    name: str
    # What happens when the call fails, or takes too long: `continue` goes on as if the action had allowed it, `refuse` returns 503, and sends a message later.
    onFailure: Literal["continue", "refuse"]
    # Actions of one moment are called one after the other, the lowest first.
    position: int
    # How long a call may take, in milliseconds, with DNS, connecting and the response.
    timeoutMs: int
    updatedAt: str
    url: str


class ActionCall(TypedDict):
    # Of the request that called it.
    correlationId: str
    decision: Literal["allow", "refuse", "failed"]
    # Whether it was a test.
    dryRun: bool
    durationMs: int
    error: str | None
    id: str
    moment: str
    occurredAt: str
    statusCode: int | None


class ActionTest(TypedDict):
    decision: Literal["allow", "refuse", "failed"]
    durationMs: int
    error: str | None
    # The body that was sent.
    request: Any
    # The response; null if the call failed.
    response: Any
    statusCode: int | None


class ActionWithSecret(TypedDict):
    createdAt: str
    enabled: bool
    id: str
    # When it is called. `registration`: before an account of a person is created who registers, or who signs in for the first time; `sign_in`: before a sign-in completes, after every proof; `token`: before a token is signed, to add claims; `message`: before a mail or text message is sent; `password`: when a password is wrong here, to ask the system that people come from.
    moment: Literal["registration", "sign_in", "token", "message", "password"]
    name: str
    # What happens when the call fails, or takes too long: `continue` goes on as if the action had allowed it, `refuse` returns 503, and sends a message later.
    onFailure: Literal["continue", "refuse"]
    # Actions of one moment are called one after the other, the lowest first.
    position: int
    # Signs the calls (`whsec_…`). Shown only once.
    secret: str
    # How long a call may take, in milliseconds, with DNS, connecting and the response.
    timeoutMs: int
    updatedAt: str
    url: str


class Api(TypedDict):
    # The maximum lifetime of its access tokens; null: that of the application.
    accessTokenSeconds: int | None
    createdAt: str
    id: str
    identifier: str
    # Shown on the consent page.
    name: str
    # People get only the scopes that are named like a permission they have in the project.
    requirePermissions: bool
    scopes: list[ApiScopesItem]
    updatedAt: str


class ApiScopesItem(TypedDict):
    # What it allows, in the words of the consent page; the name is shown when it is empty.
    description: str
    name: str


class ApiGrant(TypedDict):
    identifier: str
    # The scopes that it gets for itself (`client_credentials`).
    machineScopes: list[str]
    # The scopes that it may get for people.
    scopes: list[str]


class Application(TypedDict):
    # Lifetime of its access or management tokens; null: the project’s.
    accessTokenSeconds: int | None
    apis: list[ApiGrant]
    # Is notified when sessions end (OpenID Connect Back-Channel Logout 1.0).
    backchannelLogoutUri: str | None
    clientId: str
    createdAt: str
    # Its tokens must be bound to its key (RFC 9449).
    dpopBound: bool
    enabled: bool
    # False for an application of a third party: people are asked for consent, and its tokens are accepted at userinfo, introspection and resource servers, never exchanged for a session.
    firstParty: bool
    # The OAuth grant types it uses; the kind `saml` has none.
    grants: list[Literal["authorization_code", "refresh_token", "client_credentials", "urn:ietf:params:oauth:grant-type:device_code", "urn:ietf:params:oauth:grant-type:token-exchange"]]
    id: str
    # What its ID tokens say about the person: `requested`: the claims that the `claims` parameter asks for in them; the others are at userinfo (OpenID Connect Core §5.4). `scopes`: the claims of the granted scopes, too, for software that does not read userinfo.
    idTokenClaims: Literal["requested", "scopes"]
    # Keys with which the client authenticates instead of a secret.
    jwks: Jwks | None
    kind: Literal["spa", "web", "native", "management", "device", "saml"]
    name: str
    # Web origins that may call with cookies or across origins.
    origins: list[str]
    # Of a management client: the permissions it may be granted.
    permissions: list[str]
    # `optional`, for the kind `web` without the profile `fapi2` only: it may request codes without PKCE (RFC 7636). Then nothing but its own check of `nonce` or `state` detects a code that somebody else obtained.
    pkce: Literal["required", "optional"]
    # Where signing out ends.
    postLogoutRedirectUris: list[str]
    # `fapi2`: must follow the FAPI 2.0 Security Profile.
    profile: Literal["oauth", "fapi2"]
    # Where sign-ins end; compared as exact strings.
    redirectUris: list[str]
    # How long its refresh tokens may go unused; null: as long as the project’s sessions. None outlives its session.
    refreshTokenSeconds: int | None
    # The token it registered itself with; null: an administrator added it.
    registrationTokenId: str | None
    # Of the kind `saml`.
    saml: SamlApplication | None
    # The active secrets, oldest first.
    secrets: list[ApplicationSecretsItem]
    # `pairwise`: subjects that no other sector sees.
    subjectType: Literal["public", "pairwise"]
    updatedAt: str
    # Sign-ins that name no organization enter the person’s default organization, if the person may enter it.
    usesDefaultOrganization: bool


class ApplicationSecretsItem(TypedDict):
    createdAt: str
    # Its last four characters.
    hint: str
    id: str


class AuditEvent(TypedDict):
    action: str
    actor: AuditEventActor | None
    correlationId: str | None
    # Null, like `actor` and `correlationId`, if the entry named a person who was erased.
    data: dict[str, Any] | None
    example: NotRequired[bool]
    # The hash of the chain up to this entry, base64url.
    hash: str
    id: str
    occurredAt: str
    # The ids of the affected records.
    resources: list[str]
    # The position in the chain of the project environment, without gaps.
    sequence: int


class AuditEventActor(TypedDict):
    kind: str


class Branding(TypedDict):
    accentColor: str | None
    backgroundColor: str | None
    # A style sheet for the hosted pages, in the parts and properties that the documentation of branding names. Null or absent: none.
    css: NotRequired[str | None]
    # The kind of font of the pages and mails, from those on the device. Null or absent: its usual one.
    font: NotRequired[Literal["humanist", "geometric", "rounded", "serif", "slab", "monospace"] | None]
    # Maps the label of each link to its address.
    links: dict[str, str]
    logoUrl: str | None
    radius: int | None
    # Shown below the form, unchanged.
    text: str | None


class BrandingImages(TypedDict):
    """Null: none is uploaded."""

    darkLogo: BrandingImagesDarkLogo | None
    favicon: BrandingImagesFavicon | None
    logo: BrandingImagesLogo | None


class BrandingImagesDarkLogo(TypedDict):
    bytes: int
    height: int
    type: str
    # Changes with the content, and never shows other content.
    url: str
    width: int


class BrandingImagesFavicon(TypedDict):
    bytes: int
    height: int
    type: str
    # Changes with the content, and never shows other content.
    url: str
    width: int


class BrandingImagesLogo(TypedDict):
    bytes: int
    height: int
    type: str
    # Changes with the content, and never shows other content.
    url: str
    width: int


class CheckedStyleSheet(TypedDict):
    # In the order of the text; at most twenty. Without any, the style sheet can be saved.
    faults: list[CheckedStyleSheetFaultsItem]


class CheckedStyleSheetFaultsItem(TypedDict):
    column: int
    line: int
    # What is wrong, and what was expected.
    message: str


class Colleague(TypedDict):
    displayName: str | None
    email: str | None
    joinedAt: str
    memberId: str
    # The roles in this organization.
    roles: list[str]
    # The membership of the project.
    status: Literal["active", "invited", "blocked"]
    userId: str


class ComponentCheck(TypedDict):
    pass


class ConnectionTestOutcome(TypedDict):
    # As the identity provider sent them; an attribute that is no text is JSON.
    attributes: dict[str, list[str]]
    because: str | None
    check: Literal["xml", "metadata", "status", "signature", "encryption", "assertions", "issuer", "destination", "in_response_to", "recipient", "audience", "time", "subject", "replay"] | None
    detail: str | None
    # What the attribute mapping of the connection makes of them.
    mapped: ConnectionTestOutcomeMapped
    # What a sign-in would do with the connection enabled: sign in to the account that is linked, link an account that has the address, create one, ask for a proof of the account that has the address, or nothing.
    result: Literal["signs_in", "links", "creates", "asks_for_proof", "refused"]
    # The roles in the organization after the sign-in.
    roles: list[str]
    # A second factor would be asked for.
    secondFactor: bool
    subject: str | None
    userId: str | None


class ConnectionTestOutcomeMapped(TypedDict):
    """What the attribute mapping of the connection makes of them."""

    displayName: str | None
    email: str | None
    emailVerified: bool | None
    familyName: str | None
    givenName: str | None
    groups: list[str]


class ConnectionTestSignIn(TypedDict):
    expiresAt: str
    id: str
    # null until the browser came back.
    outcome: ConnectionTestOutcome | None


class DefaultOrganization(TypedDict):
    organizationId: str | None


class DirectoryGroup(TypedDict):
    createdAt: str
    id: str
    memberCount: int
    name: str
    # The roles in the organization that its members have.
    roles: list[str]
    updatedAt: str


class Domain(TypedDict):
    checkedAt: str | None
    createdAt: str
    # The fault found by the last look-up.
    fault: str | None
    host: str
    id: str
    lostAt: str | None
    organizationId: str | None
    # `lost`: the proof was missing, so the domain serves nothing until it is verified again.
    status: Literal["pending", "verified", "lost"]
    # The DNS record that proves the domain. Keep it: it is looked up every day.
    verification: DomainVerification
    verifiedAt: str | None


class DomainVerification(TypedDict):
    """The DNS record that proves the domain. Keep it: it is looked up every day."""

    name: str
    type: Literal["TXT"]
    value: str


class DomainBinding(TypedDict):
    # The base address; for `auth` also the issuer of tokens.
    address: str
    createdAt: str
    environment: Literal["test", "production"]
    projectId: str
    # What the domain is used for. `status`: the status page of the project, and nothing else; a domain of a status page has no other purpose.
    purpose: Literal["auth", "api", "status"]


class EventType(TypedDict):
    description: str
    example: dict[str, Any]
    # JSON Schema (2020-12) of the whole event.
    schema: dict[str, Any]
    type: str
    # Increases when the meaning of a field changes, not when fields are added.
    version: int


class ExplainedSamlResponse(TypedDict):
    accepted: bool
    # As the identity provider sent them.
    attributes: dict[str, list[str]]
    authenticationContext: str | None
    check: Literal["xml", "metadata", "status", "signature", "encryption", "assertions", "issuer", "destination", "in_response_to", "recipient", "audience", "time", "subject", "replay"] | None
    detail: str | None
    # What the attribute mapping of the connection makes of them now.
    mapped: ExplainedSamlResponseMapped
    nameId: str | None
    nameIdFormat: str | None
    receivedAt: str


class ExplainedSamlResponseMapped(TypedDict):
    """What the attribute mapping of the connection makes of them now."""

    displayName: str | None
    email: str | None
    familyName: str | None
    givenName: str | None
    groups: list[str]


class IdentityProvider(TypedDict):
    # The callback address to register at the provider, at the environment's own address.
    callbackUrl: str
    # All callback addresses, including those of the auth domains bound to the project: people return to the address they came from.
    callbackUrls: list[str]
    clientId: str
    createdAt: str
    enabled: bool
    hasSecret: bool
    id: str
    key: str
    name: str
    options: IdentityProviderOptions
    preset: str
    updatedAt: str


class IdentityProviderOptions(TypedDict):
    authorizationEndpoint: NotRequired[str]
    emailsEndpoint: NotRequired[str]
    issuer: NotRequired[str]
    # Apple: the id of the private key.
    keyId: NotRequired[str]
    scopes: NotRequired[list[str]]
    # Apple.
    teamId: NotRequired[str]
    # Microsoft: the directory.
    tenant: NotRequired[str]
    tokenEndpoint: NotRequired[str]
    # Whether `email_verified` of this provider is trusted; true when absent.
    trustEmail: NotRequired[bool]
    userinfoEndpoint: NotRequired[str]


class ImpersonationOptions(TypedDict):
    # Applications with token exchange, and the identifiers of the APIs for which they get tokens.
    applications: list[ImpersonationOptionsApplicationsItem]
    # The `impersonationMinutes` of the project; 0: impersonation is disabled.
    maxMinutes: int


class ImpersonationOptionsApplicationsItem(TypedDict):
    apis: list[str]
    clientId: str
    name: str


class Impersonations(TypedDict):
    impersonations: list[ImpersonationsImpersonationsItem]


class ImpersonationsImpersonationsItem(TypedDict):
    endsAt: str
    reason: str
    since: str
    # The id of a user or of an application.
    supporterId: str
    supporterKind: Literal["customer", "operator", "management"]


class Incident(TypedDict):
    # It is updated automatically until a person adds an update.
    automatic: bool
    componentIds: list[str]
    # The status of components by id, instead of the status that the severity gives to those in `componentIds`: `degraded_performance` for minor, `partial_outage` for major, `major_outage` for critical. The worse of this and the measured status is shown. An update replaces the earlier values.
    componentStatuses: dict[str, Literal["operational", "degraded_performance", "partial_outage", "major_outage"]]
    createdAt: str
    draft: bool
    id: str
    phase: Literal["investigating", "identified", "monitoring", "resolved"]
    postmortem: str | None
    resolvedAt: str | None
    severity: Literal["minor", "major", "critical"]
    startedAt: str
    title: str
    updatedAt: str
    # Newest first.
    updates: list[IncidentUpdatesItem]


class IncidentUpdatesItem(TypedDict):
    at: str
    body: str
    phase: Literal["investigating", "identified", "monitoring", "resolved"]


class Insight(TypedDict):
    # The last six months, oldest first.
    cohorts: list[InsightCohortsItem]
    # Every day of the range in UTC, oldest first.
    dates: list[str]
    # The last six months, oldest first.
    secondFactors: list[InsightSecondFactorsItem]
    series: list[InsightSeriesItem]


class InsightCohortsItem(TypedDict):
    # Of the people whose accounts are from the month, those who were active in it, and in each month after it.
    active: list[int]
    # Members who joined in the month.
    joined: int
    month: str


class InsightSecondFactorsItem(TypedDict):
    # People who signed in, or entered the project, in the month.
    active: int
    month: str
    # Those of them who signed in with two factors.
    withTwoFactors: int


class InsightSeriesItem(TypedDict):
    # One for each date.
    counts: list[int]
    # `sign_ins_by_way`: by the methods of `amr`, joined by a plus; `sign_ins_by_application`: by the id of the application, `unknown` where the sign-in named none; `sign_ins_by_country`: by the country of the address (ISO 3166-1 alpha-2), `unknown` where it is not known; `failures_by_reason`: refused sign-ins; `registrations`: created accounts and verified addresses; `registration_steps`: people who registered with an address, by the day on which they began: `started`, of these `proven` (they proved the address) and `finished` (they signed in for the first time); `second_factors`: added and removed; `texts`: text messages by result; `mails`: `sent` were taken by a server, `failed` by none.
    figure: Literal["sign_ins_by_way", "sign_ins_by_application", "sign_ins_by_country", "failures_by_reason", "registrations", "registration_steps", "second_factors", "texts", "mails"]
    key: str


class Invitation(TypedDict):
    createdAt: str
    email: str
    expiresAt: str
    id: str
    # A user or application; null: the system.
    invitedBy: str | None
    organizationId: str | None
    organizationRoles: list[str]
    roles: list[str]
    status: Literal["pending", "accepted", "revoked", "expired", "declined"]


class Jwks(TypedDict):
    keys: list[JwksKeysItem]


class JwksKeysItem(TypedDict):
    alg: NotRequired[str]
    crv: NotRequired[str]
    e: NotRequired[str]
    kid: NotRequired[str]
    kty: Literal["EC", "RSA", "OKP"]
    n: NotRequired[str]
    use: NotRequired[Literal["sig"]]
    x: NotRequired[str]
    y: NotRequired[str]


class LinkedIdentity(TypedDict):
    email: str | None
    id: str
    issuer: str
    linkedAt: str
    provider: str
    subject: str


class LogStream(TypedDict):
    # The certificates that sign the certificate of the receiver, if no public authority does. They are trusted instead of the public authorities.
    caCertificate: str | None
    certificates: list[LogStreamCertificatesItem]
    # The certificate that Latchkey shows; the secret is its private key. Only for `syslog`.
    clientCertificate: str | None
    createdAt: str
    delivery: LogStreamDelivery
    hasSecret: bool
    # The header that carries the secret; `Authorization` if null. Only for `json_lines` and `otlp`.
    header: str | None
    id: str
    # The format and protocol of the destination.
    kind: Literal["splunk", "datadog", "elastic", "json_lines", "otlp", "syslog"]
    name: str
    state: Literal["active", "paused"]
    # Event types, groups such as `user.*`, or `*`.
    types: list[str]
    updatedAt: str
    # The whole address that entries are posted to: https, or http in the test environment of an installation in development mode. For `syslog`: `tls://host:port`.
    url: str


class LogStreamCertificatesItem(TypedDict):
    expiresAt: str
    subject: str
    # Of `caCertificate`, or of `clientCertificate`.
    use: Literal["authority", "client"]


class LogStreamDelivery(TypedDict):
    # Every attempt since then has failed.
    failingSince: str | None
    # How long ago the oldest of them occurred; 0 if there is none.
    lagSeconds: int
    # When a failing stream tries again.
    nextAttemptAt: str | None
    # The sequence of the last entry that was sent, refused or not selected.
    position: int
    # How many entries the destination has refused; they were skipped.
    refused: int
    # How many entries the destination has accepted.
    sent: int
    sentAt: str | None
    # How many entries follow the position, selected or not.
    waiting: int


class LogStreamFault(TypedDict):
    error: str
    # The sequence of the first entry concerned.
    firstSequence: int
    id: str
    # The sequence of the last entry concerned.
    lastSequence: int
    occurredAt: str
    # `retrying`: the entries are sent again. `skipped`: the destination refused these entries and accepted others.
    outcome: Literal["retrying", "skipped"]
    # The beginning of the response, without credentials.
    responseSnippet: str | None
    statusCode: int | None


class LogStreamTest(TypedDict):
    error: str | None
    # Whether the destination accepted the entry.
    ok: bool
    responseSnippet: str | None
    statusCode: int | None


class Maintenance(TypedDict):
    beginsAt: str
    completedAt: str | None
    componentIds: list[str]
    endsAt: str
    id: str
    phase: Literal["scheduled", "in_progress", "verifying", "completed"]
    title: str
    updatedAt: str
    # Newest first.
    updates: list[MaintenanceUpdatesItem]


class MaintenanceUpdatesItem(TypedDict):
    at: str
    body: str
    phase: Literal["scheduled", "in_progress", "verifying", "completed"]


class Member(TypedDict):
    createdAt: str
    displayName: str | None
    email: str | None
    emailVerified: bool
    id: str
    lastSeenAt: str | None
    metadata: dict[str, Any]
    mfaEnabled: bool
    phone: str | None
    phoneVerified: bool
    roles: list[str]
    status: Literal["active", "invited", "blocked"]
    userId: str
    username: str | None


class MemberAccount(TypedDict):
    factors: list[MemberAccountFactorsItem]
    hasPassword: bool
    linkedIdentities: list[MemberAccountLinkedIdentitiesItem]
    passkeys: list[Passkey]
    passwordChangedAt: str | None
    profile: MemberAccountProfile
    recoveryCodesLeft: int
    # Attempts that are refused now, because there were too many.
    throttled: list[MemberAccountThrottledItem]


class MemberAccountFactorsItem(TypedDict):
    createdAt: str
    hint: str | None
    id: str
    lastUsedAt: str | None
    type: Literal["totp", "phone"]


class MemberAccountLinkedIdentitiesItem(TypedDict):
    email: str | None
    id: str
    issuer: str
    linkedAt: str
    provider: str
    subject: str


class MemberAccountProfile(TypedDict):
    birthdate: str | None
    # Free JSON of the product, up to 16 KiB.
    customData: dict[str, Any]
    displayName: str | None
    familyName: str | None
    gender: str | None
    givenName: str | None
    locale: str | None
    middleName: str | None
    nickname: str | None
    picture: str | None
    profile: str | None
    username: str | None
    website: str | None
    zoneinfo: str | None


class MemberAccountThrottledItem(TypedDict):
    source: str | None
    until: str
    way: Literal["password", "totp", "totp_enrolment", "phone", "recovery_code", "passkey", "email_code"]


class MemberImport(TypedDict):
    # People who are new to the workspace.
    created: int
    createdAt: str
    dryRun: bool
    failed: int
    finishedAt: str | None
    id: str
    # People of the workspace who are new to the project; their accounts are unchanged.
    joined: int
    # The number of rows in the file.
    rows: int
    rowsDone: int
    startedAt: str | None
    status: Literal["receiving", "queued", "running", "completed"]
    # People who are members already.
    unchanged: int


class MemberSession(TypedDict):
    acr: str
    amr: list[str]
    authTime: str
    # The applications of the project that use it through the OpenID provider.
    clientIds: list[str]
    country: str | None
    createdAt: str
    expiresAt: str
    id: str
    ip: str | None
    lastSeenAt: str
    # The organizations of the project that the session is in.
    organizationIds: list[str]
    userAgent: str | None
    userId: str


class MessageTemplate(TypedDict):
    action: str
    body: str
    # A text message (`sms`) has no subject.
    channel: Literal["email", "sms"]
    # False for the built-in text.
    custom: bool
    locale: Literal["en", "de", "fr", "es", "ja", "zh", "ar"]
    subject: str
    template: MessageTemplateId
    variables: list[str]


class MessageTemplateId(TypedDict):
    pass


class NewApiGrant(TypedDict):
    identifier: str
    # The scopes that it gets for itself (`client_credentials`); only for the kind `management`.
    machineScopes: NotRequired[list[str]]
    # The scopes that it may get for people; not for the kind `management`.
    scopes: NotRequired[list[str]]


class OidcConnectionConfiguration(TypedDict):
    # How Latchkey authenticates at the identity provider: `client_secret` (the default), or `private_key_jwt` (RFC 7523) with a key that Latchkey makes for this connection; the identity provider reads the public part at `jwksUrl`.
    clientAuthentication: Literal["client_secret", "private_key_jwt"]
    clientId: str
    hasSecret: bool
    # Its discovery document is at `/.well-known/openid-configuration` below it.
    issuer: str
    jwksUrl: str | None
    # Of our keys: the first signs.
    keyIds: list[str]
    scopes: list[str]


class Organization(TypedDict):
    createdAt: str
    id: str
    # Only addresses at its verified mail domains are invited to the organization.
    invitesVerifiedDomainsOnly: bool
    metadata: dict[str, Any]
    name: str
    slug: str | None
    status: Literal["active", "blocked"]
    updatedAt: str


class OrganizationAuditEvent(TypedDict):
    action: str
    actor: OrganizationAuditEventActor
    # Null, like `actor` and `correlationId`, if the entry named a person who was erased.
    data: dict[str, Any] | None
    id: str
    occurredAt: str


class OrganizationAuditEventActor(TypedDict):
    kind: str | None
    setupLinkId: str | None
    userId: str | None


class OrganizationBranding(TypedDict):
    accentColor: str | None
    backgroundColor: str | None
    logoUrl: str | None
    name: str | None


class OrganizationConnection(TypedDict):
    attributes: OrganizationConnectionAttributes
    # The callback address to register at the identity provider, at the environment's own address.
    callbackUrl: str
    # All callback addresses, including those of the auth domains bound to the project.
    callbackUrls: list[str]
    createdAt: str
    # Roles in the organization by the name of a group at the identity provider. At each sign-in, the person gets the roles of their groups, and loses the other roles that are named here.
    groupRoles: dict[str, list[str]]
    id: str
    # People who sign in through it become members of the organization, with a new account if they have none. Without it, only members sign in.
    justInTime: bool
    kind: Literal["oidc", "saml"]
    # Shown on the sign-in page.
    name: str
    oidc: OidcConnectionConfiguration | None
    organizationId: str
    # While it is enabled, people with an address at a verified mail domain of the organization enter the organization only through a connection.
    required: bool
    # The roles in the organization of those who join through it.
    roles: list[str]
    saml: SamlConnectionConfiguration | None
    status: Literal["enabled", "disabled"]
    updatedAt: str


class OrganizationConnectionAttributes(TypedDict):
    # The attribute with the full name.
    displayName: str
    # The attribute with the email address.
    email: str
    # The attribute with the family name.
    familyName: str
    # The attribute with the given name.
    givenName: str
    # The attribute with the names of the groups that the person is in.
    groups: str


class OrganizationDomain(TypedDict):
    # People with a verified address at the domain join the organization when they sign in, except people who left it or were removed from it.
    autoJoin: bool
    checkedAt: str | None
    createdAt: str
    # The fault found by the last look-up.
    fault: str | None
    host: str
    id: str
    # The roles that people get in the organization when they join by the domain.
    roles: list[str]
    # `lost`: the proof was missing, so nobody joins by the domain until it is verified again.
    status: Literal["pending", "verified", "lost"]
    # The DNS record that proves the domain. Keep it: it is looked up every day.
    verification: OrganizationDomainVerification
    verifiedAt: str | None


class OrganizationDomainVerification(TypedDict):
    """The DNS record that proves the domain. Keep it: it is looked up every day."""

    name: str
    type: Literal["TXT"]
    value: str


class OrganizationInvitation(TypedDict):
    createdAt: str
    email: str
    expiresAt: str
    id: str
    invitedBy: str | None
    roles: list[str]
    status: Literal["pending", "accepted", "revoked", "expired", "declined"]


class OrganizationMember(TypedDict):
    displayName: str | None
    email: str | None
    joinedAt: str
    memberId: str
    phone: str | None
    # The roles in this organization.
    roles: list[str]
    # The membership of the project.
    status: Literal["active", "invited", "blocked"]
    userId: str
    username: str | None


class OrganizationPolicy(TypedDict):
    addresses: list[str] | None
    mfa: Literal["required"] | None
    sessionAbsoluteSeconds: int | None
    sessionIdleSeconds: int | None
    signInMethods: list[Literal["password", "magic_link", "email_code", "phone", "passkey", "social"]] | None


class OrganizationRole(TypedDict):
    builtIn: bool
    createdAt: str | None
    # Members of an organization who may change roles in it may also give and take this role without having the project’s own permissions that it grants.
    delegable: bool
    description: str
    key: str
    name: str
    permissions: list[str]
    updatedAt: str | None


class OwnInvitation(TypedDict):
    createdAt: str
    expiresAt: str
    id: str
    organization: OwnInvitationOrganization | None
    organizationRoles: list[str]
    roles: list[str]


class OwnInvitationOrganization(TypedDict):
    """Null for an invitation to the project only."""

    id: str
    name: str


class OwnOrganization(TypedDict):
    id: str
    joinedAt: str
    name: str
    # What these roles grant in it.
    permissions: list[str]
    # My roles in it.
    roles: list[str]
    slug: str | None
    status: Literal["active", "blocked"]


class OwnSession(TypedDict):
    acr: str
    amr: list[str]
    authTime: str
    country: str | None
    createdAt: str
    current: bool
    expiresAt: str
    id: str
    ip: str | None
    lastSeenAt: str
    userAgent: str | None


class Passkey(TypedDict):
    createdAt: str
    id: str
    lastUsedAt: str | None
    name: str
    secondFactor: bool
    # Synced by a passkey provider to several devices.
    synced: bool


class PasskeyRegistration(TypedDict):
    authenticatorAttachment: NotRequired[Literal["platform", "cross-platform"]]
    clientExtensionResults: dict[str, Any]
    id: str
    rawId: str
    response: PasskeyRegistrationResponse
    type: Literal["public-key"]


class PasskeyRegistrationResponse(TypedDict):
    attestationObject: str
    clientDataJSON: str
    transports: NotRequired[list[str]]


class Permission(TypedDict):
    builtIn: bool
    createdAt: str | None
    description: str
    key: str


class PermissionCheck(TypedDict):
    allowed: bool
    # Every role of the project that grants it; empty when there is none.
    because: list[PermissionCheckBecauseItem]
    # Roles in organizations that grant it: in `organizationId`, or in one that the resource belongs to. At most 10.
    becauseInOrganizations: list[PermissionCheckBecauseInOrganizationsItem]
    # Relations to the resource, or to one above it, that give it. At most 10, the nearest first.
    becauseOfRelations: list[PermissionCheckBecauseOfRelationsItem]
    # Why it is not allowed; null when it is. `not_on_type`: no relation of the type gives the permission. `limit_reached`: there are more resources above this one than a check looks at.
    denial: Literal["not_a_member", "not_active", "unknown_permission", "not_granted", "not_in_organization", "not_on_type", "limit_reached"] | None


class PermissionCheckBecauseItem(TypedDict):
    path: PermissionCheckBecauseItemPath
    # The key of the role.
    role: str


class PermissionCheckBecauseItemPath(TypedDict):
    memberId: str
    permission: str
    role: PermissionCheckBecauseItemPathRole


class PermissionCheckBecauseItemPathRole(TypedDict):
    id: str
    key: str
    name: str


class PermissionCheckBecauseInOrganizationsItem(TypedDict):
    name: str
    organizationId: str
    # The resource that belongs to the organization; null for a check without a resource.
    resource: str | None
    # The key of a role in the organization that grants the permission.
    role: str
    # From the resource of the check up to the one below `resource`; empty if it is that one.
    through: list[str]


class PermissionCheckBecauseOfRelationsItem(TypedDict):
    relation: str
    # The resource of the check, or one above it.
    resource: str
    # The person, or the organization, role or group that the person is in.
    subject: str
    through: list[str]


class ProblemDetails(TypedDict):
    """RFC 9457 problem document."""

    detail: str
    errorCode: Literal["VALIDATION_FAILED", "MALFORMED_REQUEST", "CONTEXT_REQUIRED", "ENVIRONMENT_MISMATCH", "CONSOLE_HEADER_NOT_ALLOWED", "INVALID_CURSOR", "INVALID_TOKEN", "WEAK_PASSWORD", "UNSUPPORTED_CHANNEL", "AUTHENTICATION_REQUIRED", "INVALID_CREDENTIALS", "SESSION_EXPIRED", "SESSION_REVOKED", "INVALID_CODE", "REAUTHENTICATION_REQUIRED", "ADDON_REQUIRED", "PLAN_LIMIT_EXCEEDED", "AUTHORIZATION_DENIED", "WRONG_TOKEN_KIND", "MEMBERSHIP_REQUIRED", "MEMBER_BLOCKED", "CONTEXT_NOT_ALLOWED", "REGISTRATION_CLOSED", "REFUSED_BY_ACTION", "ORGANIZATION_BLOCKED", "ORGANIZATION_ADDRESS", "ORGANIZATION_METHOD", "ORGANIZATIONS_CLOSED", "METHOD_DISABLED", "ORIGIN_NOT_ALLOWED", "CSRF_TOKEN_INVALID", "NOT_FOUND", "METHOD_NOT_ALLOWED", "REQUEST_TIMEOUT", "CONFLICT", "ALREADY_EXISTS", "LAST_SIGN_IN_METHOD", "LAST_OWNER", "BUILT_IN_ROLE", "DOMAIN_NOT_VERIFIED", "IDEMPOTENCY_KEY_REUSED", "PRECONDITION_FAILED", "PAYLOAD_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE", "UNKNOWN_HOST", "RATE_LIMIT_EXCEEDED", "ACCOUNT_THROTTLED", "HEADERS_TOO_LARGE", "INTERNAL_ERROR", "SERVICE_UNAVAILABLE"]
    # Faults of a request body or query, each with a JSON pointer.
    errors: NotRequired[list[ProblemDetailsErrorsItem]]
    instance: str
    requiredPermission: NotRequired[str]
    # Seconds to wait.
    retryAfter: NotRequired[int]
    status: int
    title: str
    # W3C trace id of the request; quote it in a report.
    traceId: str
    type: str


class ProblemDetailsErrorsItem(TypedDict):
    message: str
    pointer: str


class Profile(TypedDict):
    birthdate: str | None
    createdAt: str
    # Free JSON of the product, up to 16 KiB.
    customData: dict[str, Any]
    displayName: str | None
    email: str | None
    emailVerified: bool
    familyName: str | None
    gender: str | None
    givenName: str | None
    locale: str | None
    middleName: str | None
    nickname: str | None
    phone: str | None
    phoneVerified: bool
    picture: str | None
    profile: str | None
    updatedAt: str
    userId: str
    username: str | None
    website: str | None
    zoneinfo: str | None


class ProvisioningLogEntry(TypedDict):
    action: Literal["create", "replace", "change", "delete"]
    # The attributes that changed.
    changes: list[str]
    detail: str | None
    id: str
    name: str | None
    occurredAt: str
    outcome: Literal["applied", "refused"]
    resourceId: str | None
    resourceType: Literal["User", "Group"]
    tokenId: str


class PublicIncident(TypedDict):
    componentIds: list[str]
    id: str
    phase: Literal["investigating", "identified", "monitoring", "resolved"]
    postmortem: str | None
    resolvedAt: str | None
    severity: Literal["minor", "major", "critical"]
    startedAt: str
    title: str
    updatedAt: str
    # Newest first.
    updates: list[PublicIncidentUpdatesItem]


class PublicIncidentUpdatesItem(TypedDict):
    at: str
    body: str
    phase: Literal["investigating", "identified", "monitoring", "resolved"]


class RegistrationToken(TypedDict):
    createdAt: str
    expiresAt: str | None
    id: str
    # A name for the list, such as the recipient of the token.
    name: str
    # How many applications it may register.
    quota: int
    # Hosts that redirect addresses may be on; any when empty.
    redirectHosts: list[str]
    # How many it has registered.
    registered: int


class Relation(TypedDict):
    createdAt: str
    expiresAt: str | None
    relation: str
    resource: str
    subject: str


class ResourceType(TypedDict):
    createdAt: str
    description: str
    key: str
    name: str
    # The types of its parent resources.
    parents: list[ResourceTypeParentsItem]
    relations: list[ResourceTypeRelationsItem]
    updatedAt: str


class ResourceTypeParentsItem(TypedDict):
    # A relation of the parent, and the relation that its holders have to this resource, such as `{ "owner": "editor" }`.
    inherits: dict[str, str]
    type: str


class ResourceTypeRelationsItem(TypedDict):
    key: str
    # What the relation gives on a resource: permissions that the project has added.
    permissions: list[str]


class Role(TypedDict):
    builtIn: bool
    createdAt: str
    description: str
    id: str
    key: str
    name: str
    permissions: list[str]
    updatedAt: str


class RoleInOrganization(TypedDict):
    description: str
    # Whether I may give and take it in this organization.
    grantable: bool
    key: str
    name: str
    permissions: list[str]


class SamlApplication(TypedDict):
    # What assertions say about the person.
    attributes: list[SamlApplicationAttributesItem]
    # What is in `signingCertificates` and `encryptionCertificate`. SAML ignores when they end.
    certificates: list[SamlApplicationCertificatesItem]
    # The assertion consumer services, compared as exact strings. Responses go to the first unless the request names another.
    consumers: list[SamlApplicationConsumersItem]
    # With `encryptionCertificate`; AES-256-GCM and RSA-OAEP.
    encryptAssertions: bool
    encryptionCertificate: str | None
    # Of the service provider.
    entityId: str
    # Sign-ins may begin here, at the start address of the application.
    idpInitiated: bool
    # Where the service provider takes part in single logout; null: it does not.
    logout: SamlApplicationLogout | None
    metadataFault: str | None
    metadataReadAt: str | None
    metadataUrl: str | None
    # `persistent`: an identifier that no other application sees. `emailAddress`: the verified email address; people without one are refused. `transient`: another one in each session. `unspecified`: the id of the user.
    nameIdFormat: Literal["persistent", "emailAddress", "transient", "unspecified"]
    # People sign in to this organization, and must be its members. null: to that which the request names, if any.
    organizationId: str | None
    # Requests without a valid signature are refused.
    requireSignedRequests: bool
    # How long the session at the service provider may last (`SessionNotOnOrAfter`), at most as long as the session here; null: it decides itself.
    sessionSeconds: int | None
    # What is signed, with RSA and SHA-256.
    sign: Literal["assertion", "response", "both"]
    # In PEM. The signature of a request must be by one of them.
    signingCertificates: list[str]


class SamlApplicationAttributesItem(TypedDict):
    # Email addresses and phone numbers only when they are verified.
    claim: Literal["email", "name", "given_name", "family_name", "preferred_username", "phone_number", "picture", "locale", "zoneinfo", "roles", "permissions", "org_id", "org_name", "org_slug", "org_roles", "org_permissions", "sub"]
    # As the service provider knows it.
    name: str
    nameFormat: Literal["urn:oasis:names:tc:SAML:2.0:attrname-format:basic", "urn:oasis:names:tc:SAML:2.0:attrname-format:uri", "urn:oasis:names:tc:SAML:2.0:attrname-format:unspecified"]


class SamlApplicationCertificatesItem(TypedDict):
    # SHA-256.
    fingerprint: str
    subject: str
    use: Literal["signing", "encryption"]
    validUntil: str


class SamlApplicationConsumersItem(TypedDict):
    index: int
    url: str


class SamlApplicationLogout(TypedDict):
    binding: Literal["redirect", "post"]
    # Where responses go; default: `url`.
    responseUrl: NotRequired[str]
    url: str


class SamlConnectionConfiguration(TypedDict):
    # Of the identity provider: each may have signed.
    certificates: list[SamlConnectionConfigurationCertificatesItem]
    # Of the identity provider.
    entityId: str
    # The default RelayState at the identity provider, for sign-ins that begin there.
    idpInitiatedRelayState: str
    idpInitiatedUrl: str | None
    logoutUrl: str | None
    metadataFault: str | None
    metadataReadAt: str
    metadataUrl: str | None
    # This side, for the identity provider. `callbackUrl` is the assertion consumer service.
    serviceProvider: SamlConnectionConfigurationServiceProvider
    signOnUrl: str
    # People who log out at the hosted pages of a session that began through the connection log out at the identity provider, too, where its metadata have an address for that by redirect. Logouts that begin at the identity provider need no switch.
    singleLogout: bool


class SamlConnectionConfigurationCertificatesItem(TypedDict):
    fingerprint: str
    pem: str
    validUntil: str


class SamlConnectionConfigurationServiceProvider(TypedDict):
    """This side, for the identity provider. `callbackUrl` is the assertion consumer service."""

    certificates: list[SamlConnectionConfigurationServiceProviderCertificatesItem]
    entityId: str
    # The single logout service, by redirect and by form.
    logoutUrl: str


class SamlConnectionConfigurationServiceProviderCertificatesItem(TypedDict):
    fingerprint: str
    pem: str
    validUntil: str


class SamlIdentityProvider(TypedDict):
    # Of this side. The same at every address.
    entityId: str
    keys: list[SamlKey]
    # Single logout, by HTTP-Redirect or HTTP-POST.
    logoutUrl: str
    metadataUrl: str
    # By HTTP-Redirect or HTTP-POST.
    signOnUrl: str
    startUrl: str | None


class SamlKey(TypedDict):
    # In PEM.
    certificate: str
    createdAt: str
    # SHA-256 of the certificate.
    fingerprint: str
    id: str
    # One key signs; the others are in the metadata.
    signs: bool
    validUntil: str


class ScimToken(TypedDict):
    createdAt: str
    expiresAt: str | None
    id: str
    lastUsedAt: str | None
    name: str


class Settings(TypedDict):
    # Lifetime of an access token.
    accessTokenSeconds: int
    # Caps session lifetimes at what NIST SP 800-63B-4 allows for the level.
    assurance: Literal["standard", "aal1", "aal2", "aal3"]
    # Lifetime of an authorization code of OpenID Connect; at most 60 for a client of the profile `fapi2`.
    authorizationCodeSeconds: int
    branding: Branding
    # The language for people who prefer none of `locales`. Must be one of `locales`.
    defaultLanguage: Literal["en", "de", "fr", "es", "ja", "zh", "ar"]
    # People get a mail when an application begins to act for them by token exchange (RFC 8693).
    delegationNotices: bool
    # `with_token`: programs that hold a registration token may register themselves as applications (RFC 7591).
    dynamicRegistration: Literal["off", "with_token"]
    # `required`: new users verify their address before their first session starts.
    emailVerification: Literal["off", "required"]
    # True: the response does not reveal whether an address has an account; the owner of an existing account gets a mail instead.
    enumerationProtection: bool
    # How long a member with `members:impersonate` may act as another member. 0 disables impersonation.
    impersonationMinutes: int
    # Lifetime of invitations.
    invitationSeconds: int
    # The languages that pages and messages are offered in.
    locales: list[Literal["en", "de", "fr", "es", "ja", "zh", "ar"]]
    # Lifetime of mailed links; a code in the same mail ends with its link.
    magicLinkSeconds: int
    # Lifetime of a management token.
    managementTokenSeconds: int
    # The maximum number of members of an organization; existing ones stay.
    maxOrganizationMembers: int
    # The maximum number of organizations of the project; existing ones stay.
    maxOrganizations: int
    # Organizations that a member may own in order to add another one; 0: members add none.
    maxOwnOrganizations: int
    # The maximum number of relations to resources; existing ones stay.
    maxRelations: int
    # Second factors: never asked for, asked of people who set one up, or required of all.
    mfa: Literal["off", "optional", "required"]
    # Second factors people may set up. A phone is a restricted authenticator (NIST SP 800-63B-4).
    mfaFactors: list[Literal["totp", "phone", "passkey"]]
    # How long a sign-in waits for its second factor.
    mfaTokenSeconds: int
    # Lifetime of codes by mail and text message.
    oneTimeCodeSeconds: int
    # After this many wrong codes, a code or a sign-in that waits for its second factor becomes invalid.
    oneTimeCodeTries: int
    # What members of an organization manage in it themselves if their roles permit it: its connections, its directory (SCIM), its policy. Each can lock people out.
    organizationSelfService: list[Literal["connections", "directory", "policy"]]
    # WebAuthn relying party id; null: the host name of the auth address.
    passkeyRpId: str | None
    # Raised to 15 where the password is the only factor.
    passwordMinLength: int
    # `required`: clients solve a puzzle before they register, sign in with a password or ask for a message.
    proofOfWork: Literal["off", "required"]
    # Whether people may register by themselves.
    registration: Literal["open", "closed"]
    # How long a device may skip the second factor; 0 disables it.
    rememberDeviceSeconds: int
    # A session ends this long after sign-in.
    sessionAbsoluteSeconds: int
    # A session ends when it is not refreshed for this long.
    sessionIdleSeconds: int
    # Hosted sign-in: `identifier_first` asks for the address and then offers the ways in for it; `combined` asks for address and password on one page.
    signInLayout: Literal["combined", "identifier_first"]
    # The sign-in methods that the project offers.
    signInMethods: list[Literal["password", "magic_link", "email_code", "phone", "passkey", "social"]]
    # Numbers that never get a message and have a fixed code. Test environment only.
    testPhoneNumbers: list[SettingsTestPhoneNumbersItem]
    # How long webhook deliveries are kept.
    webhookLogDays: int


class SettingsTestPhoneNumbersItem(TypedDict):
    code: str
    phone: str


class SetupLink(TypedDict):
    completedAt: str | None
    createdAt: str
    email: str | None
    expiresAt: str
    frameOrigin: str | None
    id: str
    locale: Literal["en", "de", "fr", "es", "ja", "zh", "ar"] | None
    # A user or application; null: the system.
    madeBy: str | None
    openedAt: str | None
    organizationId: str
    returnUrl: str | None
    # With the task `team` or `directory`: the roles in the organization that invitations and groups of the directory may give.
    roles: list[str]
    status: Literal["active", "expired", "revoked"]
    # What can be set up with the link: only what its maker may do themselves, at each use.
    tasks: list[Literal["domains", "connection", "directory", "policies", "team"]]


class SmsAddOn(TypedDict):
    cancelAtPeriodEnd: bool
    # The maximum number of segments in this period.
    hardCap: int
    # Segments without extra charge.
    included: int
    # The tier of the next period, if it changes.
    nextTier: str | None
    pastDueSince: str | None
    payment: Literal["manual", "stripe"]
    periodEnd: str | None
    periodStart: str | None
    # Segments that can still be sent in this period.
    remaining: int
    # Segments of messages in transit.
    reserved: int
    # The test environment: no carrier sends anything, and nothing is charged.
    simulated: bool
    status: Literal["inactive", "active", "canceling", "canceled", "past_due"]
    tier: SmsTier | None
    # Segments that carriers accepted.
    used: int


class SmsGuardRules(TypedDict):
    # How long a block stays blocked, in seconds.
    blockSeconds: int
    # A block is blocked if less than this percentage of its codes is entered. 0 disables the rule.
    conversionPercent: int
    # How many codes a block must get within a day before its share of entered codes is judged.
    conversionSample: int
    # The countries that messages may be sent to, out of those the tier allows; null: all of them.
    countries: list[str] | None
    # Kinds of numbers that get messages.
    numberTypes: list[Literal["MOBILE", "FIXED_LINE_OR_MOBILE", "FIXED_LINE", "PERSONAL_NUMBER", "VOIP", "PAGER", "PREMIUM_RATE", "SHARED_COST", "TOLL_FREE", "UAN", "VOICEMAIL"]]
    # Messages to one number per hour.
    perNumber: int
    # Messages to one block of ten thousand numbers per hour.
    perPrefix: int
    # Messages of the project in an hour.
    perProject: int
    # Messages requested from one source address per hour.
    perSource: int


class SmsStatement(TypedDict):
    currency: str
    dueAt: str
    fees: int
    id: str
    issuedAt: str
    overage: int
    paidAt: str | None
    # How it is paid: manually, or through the payment provider.
    payment: Literal["manual", "stripe"]
    periodEnd: str
    periodId: str
    periodStart: str
    segments: int
    tierId: str
    total: int


class SmsTier(TypedDict):
    # Where messages may go; null: everywhere.
    countries: list[str] | None
    # ISO 4217.
    currency: str
    # The maximum number of segments in a period.
    hardCap: int
    id: str
    # Segments without extra charge.
    included: int
    # Per period, in minor units of the currency.
    monthlyPrice: int
    name: str
    # Null: nothing is sent beyond the included segments.
    overagePrice: int | None


class StartedChallenge(TypedDict):
    # Seconds.
    expiresIn: int
    flowId: str
    # Seconds.
    resendAfter: int


class StartedConnectionTestSignIn(TypedDict):
    expiresAt: str
    id: str
    # null until the browser came back.
    outcome: ConnectionTestOutcome | None
    # Open it in a browser. It works once.
    url: str


class StatusComponent(TypedDict):
    builtIn: bool
    # Null for a built-in component.
    check: ComponentCheck | None
    createdAt: str
    description: str
    groupId: str
    heartbeatAt: str | None
    id: str
    name: str
    position: int
    # A component that is `never` shown does not affect the status either.
    shown: Literal["always", "when_degraded", "never"]
    status: Literal["operational", "degraded_performance", "partial_outage", "major_outage"]
    statusSince: str
    updatedAt: str


class StatusComponentIds(TypedDict):
    pass


class StatusGroup(TypedDict):
    builtIn: bool
    id: str
    name: str
    position: int


class StatusPage(TypedDict):
    # The last part of the address. Null for the page of the installation, and before the first PUT.
    address: str | None
    # `public`: everybody who knows the address sees the page. `members`: only active members of the project who are signed in to it; others are asked to sign in, and only members are told anything.
    audience: Literal["public", "members"]
    # The address at the domain that is bound to the page, to which messages lead. Null while there is none.
    domainUrl: str | None
    # The default project manages the page of the installation, every other project one of its own.
    kind: Literal["installation", "project"]
    # False: nobody sees the page, its components are not checked and its subscribers are told nothing.
    published: bool
    url: str | None


class StatusSettings(TypedDict):
    # Null: the colour of the project. A colour with too little contrast is adjusted.
    accentColor: str | None
    # The recipients of a message when the status changes from operational to degraded and back.
    alertEmails: list[str]
    # What happens when a measured component fails: nothing, a draft to publish, or a public incident.
    automatic: Literal["off", "draft", "publish"]
    # The language for people who prefer none of `locales`, and of feeds, badge and documents for programs. Must be one of `locales`.
    defaultLanguage: Literal["en", "de", "fr", "es", "ja", "zh", "ar"]
    # The languages in which visitors read the page and subscribers get messages.
    locales: list[Literal["en", "de", "fr", "es", "ja", "zh", "ar"]]
    # Null: the logo of the project.
    logoUrl: str | None
    # What the page is about. Null: the name of the project.
    name: str | None
    # Where visitors get help; linked on the page.
    supportUrl: str | None
    # Whether visitors can subscribe by text message. Needs the SMS add-on of the project, which pays for each message.
    textMessages: bool


class StatusTemplate(TypedDict):
    body: str
    componentIds: list[str]
    createdAt: str
    # How long a maintenance is planned for; null for an incident, and where it differs.
    durationMinutes: int | None
    id: str
    kind: Literal["incident", "maintenance"]
    name: str
    # Of an incident; null for a maintenance.
    severity: Literal["minor", "major", "critical"] | None
    title: str
    updatedAt: str


class StatusTextsPrice(TypedDict):
    # Minor units, beyond what the tier includes.
    cost: int
    # Null where messages cost nothing.
    currency: str | None
    # The segments that the period has left; those who get none then are told nothing. Null: no limit.
    left: int | None
    # Of all text messages together, if each is like the one shown.
    segments: int


class WebhookDelivery(TypedDict):
    attemptCount: int
    createdAt: str
    endpointId: str
    eventId: str
    eventType: str
    id: str
    lastAttempt: WebhookDeliveryLastAttempt | None
    nextAttemptAt: str | None
    # `pending`: not attempted yet; `retrying`: attempted, and will be again; `failed`: given up; `blocked`: the address is not allowed, nothing was sent.
    status: Literal["pending", "delivered", "retrying", "failed", "blocked"]
    # The person that the event is about; null if it is about nobody, or no longer in the log.
    userId: str | None


class WebhookDeliveryLastAttempt(TypedDict):
    durationMs: int
    startedAt: str
    statusCode: int | None


class WebhookDeliveryWithAttempts(TypedDict):
    attemptCount: int
    attempts: list[WebhookDeliveryWithAttemptsAttemptsItem]
    createdAt: str
    endpointId: str
    eventId: str
    eventType: str
    id: str
    nextAttemptAt: str | None
    payload: WebhookDeliveryWithAttemptsPayload
    # `pending`: not attempted yet; `retrying`: attempted, and will be again; `failed`: given up; `blocked`: the address is not allowed, nothing was sent.
    status: Literal["pending", "delivered", "retrying", "failed", "blocked"]
    # The person that the event is about; null if it is about nobody, or no longer in the log.
    userId: str | None


class WebhookDeliveryWithAttemptsAttemptsItem(TypedDict):
    durationMs: int
    # Why the attempt has no status code, or why its status code does not count.
    error: str | None
    # The beginning of the response, without anything that looks like a secret.
    responseSnippet: str | None
    startedAt: str
    statusCode: int | None
    trigger: Literal["event", "schedule", "retry", "replay", "recovery", "test"]


class WebhookDeliveryWithAttemptsPayload(TypedDict):
    # The JSON text that is signed and sent.
    body: str | None
    # The headers of a delivery with the endpoint’s current configuration, without credentials. Each attempt adds `webhook-timestamp` (its second) and `webhook-signature`, which is not stored.
    headers: dict[str, str]
    # `kept`: shown as it is sent; `erased`: a person in it was erased, and it is sent without their address; `gone`: the event is no longer in the log; `internal`: not shown, because the receiver is not one of your endpoints but, for example, a status subscriber.
    state: Literal["kept", "erased", "gone", "internal"]


class WebhookEndpoint(TypedDict):
    createdAt: str
    description: str
    disabledReason: Literal["request", "gone", "failing"] | None
    enabled: bool
    events: list[str]
    # Every attempt since then has failed.
    failingSince: str | None
    headers: dict[str, str]
    id: str
    organizationId: str | None
    # The receiver asked for a pause until then.
    pausedUntil: str | None
    updatedAt: str
    url: str


class WebhookEndpointWithSecret(TypedDict):
    createdAt: str
    description: str
    disabledReason: Literal["request", "gone", "failing"] | None
    enabled: bool
    events: list[str]
    # Every attempt since then has failed.
    failingSince: str | None
    headers: dict[str, str]
    id: str
    organizationId: str | None
    # The receiver asked for a pause until then.
    pausedUntil: str | None
    # Signs the deliveries (`whsec_…`). Shown only once.
    secret: str
    updatedAt: str
    url: str


class AddActionRequest(TypedDict):
    enabled: NotRequired[bool]
    # When it is called. `registration`: before an account of a person is created who registers, or who signs in for the first time; `sign_in`: before a sign-in completes, after every proof; `token`: before a token is signed, to add claims; `message`: before a mail or text message is sent; `password`: when a password is wrong here, to ask the system that people come from.
    moment: Literal["registration", "sign_in", "token", "message", "password"]
    name: str
    # What happens when the call fails, or takes too long: `continue` goes on as if the action had allowed it, `refuse` returns 503, and sends a message later.
    onFailure: Literal["continue", "refuse"]
    # Actions of one moment are called one after the other, the lowest first.
    position: NotRequired[int]
    # How long a call may take, in milliseconds, with DNS, connecting and the response.
    timeoutMs: NotRequired[int]
    # https; http in the test environment of an installation in development mode. Without user name, password and fragment.
    url: str


class ChangeActionRequest(TypedDict):
    enabled: NotRequired[bool]
    name: NotRequired[str]
    # What happens when the call fails, or takes too long: `continue` goes on as if the action had allowed it, `refuse` returns 503, and sends a message later.
    onFailure: NotRequired[Literal["continue", "refuse"]]
    # Actions of one moment are called one after the other, the lowest first.
    position: NotRequired[int]
    # How long a call may take, in milliseconds, with DNS, connecting and the response.
    timeoutMs: NotRequired[int]
    # https; http in the test environment of an installation in development mode. Without user name, password and fragment.
    url: NotRequired[str]


class RotateSecretOfActionRequest(TypedDict):
    # How long the previous secret also signs, in seconds; a day when absent.
    overlapSeconds: NotRequired[int]


class AddApiRequest(TypedDict):
    # The maximum lifetime of its access tokens; null: that of the application.
    accessTokenSeconds: NotRequired[int | None]
    # The audience of its tokens: an absolute URI (RFC 8707). It never changes.
    identifier: str
    # Shown on the consent page.
    name: str
    # People get only the scopes that are named like a permission they have in the project.
    requirePermissions: NotRequired[bool]
    scopes: NotRequired[list[AddApiRequestScopesItem]]


class AddApiRequestScopesItem(TypedDict):
    # What it allows, in the words of the consent page; the name is shown when it is empty.
    description: str
    name: str


class ChangeApiRequest(TypedDict):
    # The maximum lifetime of its access tokens; null: that of the application.
    accessTokenSeconds: NotRequired[int | None]
    # Shown on the consent page.
    name: NotRequired[str]
    # People get only the scopes that are named like a permission they have in the project.
    requirePermissions: NotRequired[bool]
    scopes: NotRequired[list[ChangeApiRequestScopesItem]]


class ChangeApiRequestScopesItem(TypedDict):
    # What it allows, in the words of the consent page; the name is shown when it is empty.
    description: str
    name: str


class AddApplicationRequest(TypedDict):
    # Lifetime of its access or management tokens; null: the project’s.
    accessTokenSeconds: NotRequired[int | None]
    # The APIs it may get access tokens for (RFC 8707), with the scopes of each.
    apis: NotRequired[list[NewApiGrant]]
    # Is notified when sessions end (OpenID Connect Back-Channel Logout 1.0).
    backchannelLogoutUri: NotRequired[str | None]
    # Its tokens must be bound to its key (RFC 9449).
    dpopBound: NotRequired[bool]
    # False for an application of a third party: people are asked for consent, and its tokens are accepted at userinfo, introspection and resource servers, never exchanged for a session.
    firstParty: NotRequired[bool]
    # The OAuth grant types it uses, out of those of its kind; all of these when absent. Token exchange (RFC 8693) is for confidential first-party applications, is never the default, and needs the permission `applications:delegate`.
    grants: NotRequired[list[Literal["authorization_code", "refresh_token", "client_credentials", "urn:ietf:params:oauth:grant-type:device_code", "urn:ietf:params:oauth:grant-type:token-exchange"]]]
    # What its ID tokens say about the person: `requested`: the claims that the `claims` parameter asks for in them; the others are at userinfo (OpenID Connect Core §5.4). `scopes`: the claims of the granted scopes, too, for software that does not read userinfo.
    idTokenClaims: NotRequired[Literal["requested", "scopes"]]
    # Keys with which the client authenticates instead of a secret.
    jwks: NotRequired[Jwks | None]
    kind: Literal["spa", "web", "native", "management", "device", "saml"]
    name: str
    # Web origins that may call with cookies or across origins.
    origins: NotRequired[list[str]]
    # Of a management client: the permissions it may be granted.
    permissions: NotRequired[list[str]]
    # `optional`, for the kind `web` without the profile `fapi2` only: it may request codes without PKCE (RFC 7636). Then nothing but its own check of `nonce` or `state` detects a code that somebody else obtained.
    pkce: NotRequired[Literal["required", "optional"]]
    # Where signing out ends.
    postLogoutRedirectUris: NotRequired[list[str]]
    # `fapi2`: must follow the FAPI 2.0 Security Profile.
    profile: NotRequired[Literal["oauth", "fapi2"]]
    # Where sign-ins end; compared as exact strings.
    redirectUris: NotRequired[list[str]]
    # How long its refresh tokens may go unused; null: as long as the project’s sessions. None outlives its session.
    refreshTokenSeconds: NotRequired[int | None]
    saml: NotRequired[AddApplicationRequestSaml]
    # `pairwise`: subjects that no other sector sees.
    subjectType: NotRequired[Literal["public", "pairwise"]]
    # Sign-ins that name no organization enter the person’s default organization, if the person may enter it.
    usesDefaultOrganization: NotRequired[bool]


class AddApplicationRequestSaml(TypedDict):
    # Replaces `attributes` by usual names: `basic` words, the `claims` addresses of Microsoft, or the object identifiers of `ldap`.
    attributePreset: NotRequired[Literal["basic", "claims", "ldap"]]
    # What assertions say about the person.
    attributes: NotRequired[list[AddApplicationRequestSamlAttributesItem]]
    # The assertion consumer services, compared as exact strings. Responses go to the first unless the request names another.
    consumers: NotRequired[list[AddApplicationRequestSamlConsumersItem]]
    # With `encryptionCertificate`; AES-256-GCM and RSA-OAEP.
    encryptAssertions: NotRequired[bool]
    encryptionCertificate: NotRequired[str | None]
    # Of the service provider.
    entityId: NotRequired[str]
    # Sign-ins may begin here, at the start address of the application.
    idpInitiated: NotRequired[bool]
    # Where the service provider takes part in single logout; null: it does not.
    logout: NotRequired[AddApplicationRequestSamlLogout | None]
    # The metadata of the service provider, as XML.
    metadata: NotRequired[str]
    # Where the service provider publishes its metadata. They are read now and again every day. Fields that you changed stay as you wrote them, until you give the address again. null: they are not read again.
    metadataUrl: NotRequired[str | None]
    # `persistent`: an identifier that no other application sees. `emailAddress`: the verified email address; people without one are refused. `transient`: another one in each session. `unspecified`: the id of the user.
    nameIdFormat: NotRequired[Literal["persistent", "emailAddress", "transient", "unspecified"]]
    # People sign in to this organization, and must be its members. null: to that which the request names, if any.
    organizationId: NotRequired[str | None]
    # Reads the metadata at `metadataUrl` now, as every day.
    refresh: NotRequired[bool]
    # Requests without a valid signature are refused.
    requireSignedRequests: NotRequired[bool]
    # How long the session at the service provider may last (`SessionNotOnOrAfter`), at most as long as the session here; null: it decides itself.
    sessionSeconds: NotRequired[int | None]
    # What is signed, with RSA and SHA-256.
    sign: NotRequired[Literal["assertion", "response", "both"]]
    # In PEM. The signature of a request must be by one of them.
    signingCertificates: NotRequired[list[str]]


class AddApplicationRequestSamlAttributesItem(TypedDict):
    # Email addresses and phone numbers only when they are verified.
    claim: Literal["email", "name", "given_name", "family_name", "preferred_username", "phone_number", "picture", "locale", "zoneinfo", "roles", "permissions", "org_id", "org_name", "org_slug", "org_roles", "org_permissions", "sub"]
    # As the service provider knows it.
    name: str
    nameFormat: Literal["urn:oasis:names:tc:SAML:2.0:attrname-format:basic", "urn:oasis:names:tc:SAML:2.0:attrname-format:uri", "urn:oasis:names:tc:SAML:2.0:attrname-format:unspecified"]


class AddApplicationRequestSamlConsumersItem(TypedDict):
    index: int
    url: str


class AddApplicationRequestSamlLogout(TypedDict):
    binding: Literal["redirect", "post"]
    # Where responses go; default: `url`.
    responseUrl: NotRequired[str]
    url: str


class AddApplicationResponse(TypedDict):
    # Lifetime of its access or management tokens; null: the project’s.
    accessTokenSeconds: int | None
    apis: list[ApiGrant]
    # Is notified when sessions end (OpenID Connect Back-Channel Logout 1.0).
    backchannelLogoutUri: str | None
    clientId: str
    createdAt: str
    # Its tokens must be bound to its key (RFC 9449).
    dpopBound: bool
    enabled: bool
    # False for an application of a third party: people are asked for consent, and its tokens are accepted at userinfo, introspection and resource servers, never exchanged for a session.
    firstParty: bool
    # The OAuth grant types it uses; the kind `saml` has none.
    grants: list[Literal["authorization_code", "refresh_token", "client_credentials", "urn:ietf:params:oauth:grant-type:device_code", "urn:ietf:params:oauth:grant-type:token-exchange"]]
    id: str
    # What its ID tokens say about the person: `requested`: the claims that the `claims` parameter asks for in them; the others are at userinfo (OpenID Connect Core §5.4). `scopes`: the claims of the granted scopes, too, for software that does not read userinfo.
    idTokenClaims: Literal["requested", "scopes"]
    # Keys with which the client authenticates instead of a secret.
    jwks: Jwks | None
    kind: Literal["spa", "web", "native", "management", "device", "saml"]
    name: str
    # Web origins that may call with cookies or across origins.
    origins: list[str]
    # Of a management client: the permissions it may be granted.
    permissions: list[str]
    # `optional`, for the kind `web` without the profile `fapi2` only: it may request codes without PKCE (RFC 7636). Then nothing but its own check of `nonce` or `state` detects a code that somebody else obtained.
    pkce: Literal["required", "optional"]
    # Where signing out ends.
    postLogoutRedirectUris: list[str]
    # `fapi2`: must follow the FAPI 2.0 Security Profile.
    profile: Literal["oauth", "fapi2"]
    # Where sign-ins end; compared as exact strings.
    redirectUris: list[str]
    # How long its refresh tokens may go unused; null: as long as the project’s sessions. None outlives its session.
    refreshTokenSeconds: int | None
    # The token it registered itself with; null: an administrator added it.
    registrationTokenId: str | None
    # Of the kind `saml`.
    saml: SamlApplication | None
    # Shown once.
    secret: str | None
    # The active secrets, oldest first.
    secrets: list[AddApplicationResponseSecretsItem]
    # `pairwise`: subjects that no other sector sees.
    subjectType: Literal["public", "pairwise"]
    updatedAt: str
    # Sign-ins that name no organization enter the person’s default organization, if the person may enter it.
    usesDefaultOrganization: bool


class AddApplicationResponseSecretsItem(TypedDict):
    createdAt: str
    # Its last four characters.
    hint: str
    id: str


class IssueRegistrationTokenRequest(TypedDict):
    # Seconds; a day when absent.
    expiresIn: NotRequired[int]
    # A name for the list, such as the recipient of the token.
    name: str
    # How many applications it may register.
    quota: NotRequired[int]
    # Hosts that redirect addresses may be on; any when empty.
    redirectHosts: NotRequired[list[str]]


class IssueRegistrationTokenResponse(TypedDict):
    createdAt: str
    expiresAt: str | None
    id: str
    # A name for the list, such as the recipient of the token.
    name: str
    # How many applications it may register.
    quota: int
    # Hosts that redirect addresses may be on; any when empty.
    redirectHosts: list[str]
    # How many it has registered.
    registered: int
    # Shown once.
    token: str


class ChangeApplicationRequest(TypedDict):
    # Lifetime of its access or management tokens; null: the project’s.
    accessTokenSeconds: NotRequired[int | None]
    # The APIs it may get access tokens for (RFC 8707), with the scopes of each.
    apis: NotRequired[list[NewApiGrant]]
    # Is notified when sessions end (OpenID Connect Back-Channel Logout 1.0).
    backchannelLogoutUri: NotRequired[str | None]
    # Its tokens must be bound to its key (RFC 9449).
    dpopBound: NotRequired[bool]
    enabled: NotRequired[bool]
    # False for an application of a third party: people are asked for consent, and its tokens are accepted at userinfo, introspection and resource servers, never exchanged for a session.
    firstParty: NotRequired[bool]
    # The OAuth grant types it uses, out of those of its kind; all of these when absent. Token exchange (RFC 8693) is for confidential first-party applications, is never the default, and needs the permission `applications:delegate`.
    grants: NotRequired[list[Literal["authorization_code", "refresh_token", "client_credentials", "urn:ietf:params:oauth:grant-type:device_code", "urn:ietf:params:oauth:grant-type:token-exchange"]]]
    # What its ID tokens say about the person: `requested`: the claims that the `claims` parameter asks for in them; the others are at userinfo (OpenID Connect Core §5.4). `scopes`: the claims of the granted scopes, too, for software that does not read userinfo.
    idTokenClaims: NotRequired[Literal["requested", "scopes"]]
    # Keys with which the client authenticates instead of a secret.
    jwks: NotRequired[Jwks | None]
    name: NotRequired[str]
    # Web origins that may call with cookies or across origins.
    origins: NotRequired[list[str]]
    # Of a management client: the permissions it may be granted.
    permissions: NotRequired[list[str]]
    # `optional`, for the kind `web` without the profile `fapi2` only: it may request codes without PKCE (RFC 7636). Then nothing but its own check of `nonce` or `state` detects a code that somebody else obtained.
    pkce: NotRequired[Literal["required", "optional"]]
    # Where signing out ends.
    postLogoutRedirectUris: NotRequired[list[str]]
    # `fapi2`: must follow the FAPI 2.0 Security Profile.
    profile: NotRequired[Literal["oauth", "fapi2"]]
    # Where sign-ins end; compared as exact strings.
    redirectUris: NotRequired[list[str]]
    # How long its refresh tokens may go unused; null: as long as the project’s sessions. None outlives its session.
    refreshTokenSeconds: NotRequired[int | None]
    saml: NotRequired[ChangeApplicationRequestSaml]
    # `pairwise`: subjects that no other sector sees.
    subjectType: NotRequired[Literal["public", "pairwise"]]
    # Sign-ins that name no organization enter the person’s default organization, if the person may enter it.
    usesDefaultOrganization: NotRequired[bool]


class ChangeApplicationRequestSaml(TypedDict):
    # Replaces `attributes` by usual names: `basic` words, the `claims` addresses of Microsoft, or the object identifiers of `ldap`.
    attributePreset: NotRequired[Literal["basic", "claims", "ldap"]]
    # What assertions say about the person.
    attributes: NotRequired[list[ChangeApplicationRequestSamlAttributesItem]]
    # The assertion consumer services, compared as exact strings. Responses go to the first unless the request names another.
    consumers: NotRequired[list[ChangeApplicationRequestSamlConsumersItem]]
    # With `encryptionCertificate`; AES-256-GCM and RSA-OAEP.
    encryptAssertions: NotRequired[bool]
    encryptionCertificate: NotRequired[str | None]
    # Of the service provider.
    entityId: NotRequired[str]
    # Sign-ins may begin here, at the start address of the application.
    idpInitiated: NotRequired[bool]
    # Where the service provider takes part in single logout; null: it does not.
    logout: NotRequired[ChangeApplicationRequestSamlLogout | None]
    # The metadata of the service provider, as XML.
    metadata: NotRequired[str]
    # Where the service provider publishes its metadata. They are read now and again every day. Fields that you changed stay as you wrote them, until you give the address again. null: they are not read again.
    metadataUrl: NotRequired[str | None]
    # `persistent`: an identifier that no other application sees. `emailAddress`: the verified email address; people without one are refused. `transient`: another one in each session. `unspecified`: the id of the user.
    nameIdFormat: NotRequired[Literal["persistent", "emailAddress", "transient", "unspecified"]]
    # People sign in to this organization, and must be its members. null: to that which the request names, if any.
    organizationId: NotRequired[str | None]
    # Reads the metadata at `metadataUrl` now, as every day.
    refresh: NotRequired[bool]
    # Requests without a valid signature are refused.
    requireSignedRequests: NotRequired[bool]
    # How long the session at the service provider may last (`SessionNotOnOrAfter`), at most as long as the session here; null: it decides itself.
    sessionSeconds: NotRequired[int | None]
    # What is signed, with RSA and SHA-256.
    sign: NotRequired[Literal["assertion", "response", "both"]]
    # In PEM. The signature of a request must be by one of them.
    signingCertificates: NotRequired[list[str]]


class ChangeApplicationRequestSamlAttributesItem(TypedDict):
    # Email addresses and phone numbers only when they are verified.
    claim: Literal["email", "name", "given_name", "family_name", "preferred_username", "phone_number", "picture", "locale", "zoneinfo", "roles", "permissions", "org_id", "org_name", "org_slug", "org_roles", "org_permissions", "sub"]
    # As the service provider knows it.
    name: str
    nameFormat: Literal["urn:oasis:names:tc:SAML:2.0:attrname-format:basic", "urn:oasis:names:tc:SAML:2.0:attrname-format:uri", "urn:oasis:names:tc:SAML:2.0:attrname-format:unspecified"]


class ChangeApplicationRequestSamlConsumersItem(TypedDict):
    index: int
    url: str


class ChangeApplicationRequestSamlLogout(TypedDict):
    binding: Literal["redirect", "post"]
    # Where responses go; default: `url`.
    responseUrl: NotRequired[str]
    url: str


class AddSecretResponse(TypedDict):
    createdAt: str
    # Its last four characters.
    hint: str
    id: str
    # Shown once.
    secret: str


class ListSignedCheckpointsOfAuditLogResponse(TypedDict):
    items: list[ListSignedCheckpointsOfAuditLogResponseItemsItem]
    # Thumbprint (RFC 7638) of the key that signs checkpoints and exports.
    key: str
    # Null at the end.
    nextCursor: str | None


class ListSignedCheckpointsOfAuditLogResponseItemsItem(TypedDict):
    createdAt: str
    # The hash of the chain up to this entry, base64url.
    hash: str
    sequence: int
    # A compact JWS (ES256) over scope, sequence, hash and time, with its public key.
    signed: str


class CheckPermissionOfMemberRequest(TypedDict):
    memberId: NotRequired[str]
    # Of the organizations of the person, only this one counts.
    organizationId: NotRequired[str]
    permission: str
    # A type and an id of yours: up to 200 printable ASCII characters without spaces.
    resource: NotRequired[str]
    userId: NotRequired[str]


class CheckUpToHundredPermissionsRequest(TypedDict):
    checks: list[CheckUpToHundredPermissionsRequestChecksItem]


class CheckUpToHundredPermissionsRequestChecksItem(TypedDict):
    # Of the organizations of the person, only this one counts.
    organizationId: NotRequired[str]
    permission: str
    # A type and an id of yours: up to 200 printable ASCII characters without spaces.
    resource: NotRequired[str]
    userId: str


class CheckUpToHundredPermissionsResponse(TypedDict):
    results: list[PermissionCheck]


class WriteAndDeleteRelationsRequest(TypedDict):
    delete: NotRequired[list[WriteAndDeleteRelationsRequestDeleteItem]]
    write: NotRequired[list[WriteAndDeleteRelationsRequestWriteItem]]


class WriteAndDeleteRelationsRequestDeleteItem(TypedDict):
    relation: str
    # A type and an id of yours: up to 200 printable ASCII characters without spaces.
    resource: str
    # `user:usr_…`, all members of an organization `organization:org_…`, those with a role in it `organization:org_…#role`, a group of a directory `group:scg_…`, or a parent resource `folder:1`.
    subject: str


class WriteAndDeleteRelationsRequestWriteItem(TypedDict):
    expiresAt: NotRequired[str]
    relation: str
    # A type and an id of yours: up to 200 printable ASCII characters without spaces.
    resource: str
    # `user:usr_…`, all members of an organization `organization:org_…`, those with a role in it `organization:org_…#role`, a group of a directory `group:scg_…`, or a parent resource `folder:1`.
    subject: str


class WriteAndDeleteRelationsResponse(TypedDict):
    # Relations that were stored.
    deleted: int
    # Relations that were not stored, or had another expiry.
    written: int


class ListResourcesOnWhichPersonHasPermissionResponse(TypedDict):
    everything: bool
    items: list[ListResourcesOnWhichPersonHasPermissionResponseItemsItem]
    # Null at the end.
    nextCursor: str | None


class ListResourcesOnWhichPersonHasPermissionResponseItemsItem(TypedDict):
    id: str
    resource: str


class ListWhoHasPermissionOnResourceItem(TypedDict):
    relation: str
    # The resource of the request, or one above it.
    resource: str
    # For the organization that the resource belongs to: members with one of these roles in it. Null: the subject itself.
    roles: list[str] | None
    subject: str


class AddResourceTypeRequest(TypedDict):
    description: NotRequired[str]
    key: str
    name: str
    # The types of its parent resources.
    parents: NotRequired[list[AddResourceTypeRequestParentsItem]]
    relations: NotRequired[list[AddResourceTypeRequestRelationsItem]]


class AddResourceTypeRequestParentsItem(TypedDict):
    # A relation of the parent, and the relation that its holders have to this resource, such as `{ "owner": "editor" }`.
    inherits: dict[str, str]
    type: str


class AddResourceTypeRequestRelationsItem(TypedDict):
    key: str
    # What the relation gives on a resource: permissions that the project has added.
    permissions: list[str]


class ChangeResourceTypeRequest(TypedDict):
    description: NotRequired[str]
    name: NotRequired[str]
    # The types of its parent resources.
    parents: NotRequired[list[ChangeResourceTypeRequestParentsItem]]
    relations: NotRequired[list[ChangeResourceTypeRequestRelationsItem]]


class ChangeResourceTypeRequestParentsItem(TypedDict):
    # A relation of the parent, and the relation that its holders have to this resource, such as `{ "owner": "editor" }`.
    inherits: dict[str, str]
    type: str


class ChangeResourceTypeRequestRelationsItem(TypedDict):
    key: str
    # What the relation gives on a resource: permissions that the project has added.
    permissions: list[str]


class CancelSmsAddOnRequest(TypedDict):
    # False cancels immediately; true, the default, at the end of the period.
    atPeriodEnd: NotRequired[bool]


class ChangeRulesAgainstSmsPumpingRequest(TypedDict):
    # How long a block stays blocked, in seconds.
    blockSeconds: NotRequired[int]
    # A block is blocked if less than this percentage of its codes is entered. 0 disables the rule.
    conversionPercent: NotRequired[int]
    # How many codes a block must get within a day before its share of entered codes is judged.
    conversionSample: NotRequired[int]
    # The countries that messages may be sent to, out of those the tier allows; null: all of them.
    countries: NotRequired[list[str] | None]
    # Kinds of numbers that get messages.
    numberTypes: NotRequired[list[Literal["MOBILE", "FIXED_LINE_OR_MOBILE", "FIXED_LINE", "PERSONAL_NUMBER", "VOIP", "PAGER", "PREMIUM_RATE", "SHARED_COST", "TOLL_FREE", "UAN", "VOICEMAIL"]]]
    # Messages to one number per hour.
    perNumber: NotRequired[int]
    # Messages to one block of ten thousand numbers per hour.
    perPrefix: NotRequired[int]
    # Messages of the project in an hour.
    perProject: NotRequired[int]
    # Messages requested from one source address per hour.
    perSource: NotRequired[int]


class ListBlockedRangesOfNumbersItem(TypedDict):
    createdAt: str
    expiresAt: str
    # All numbers with this prefix and four more digits.
    prefix: str
    reason: str
    sent: int
    used: int


class ReadBlockedRangeOfNumbersResponse(TypedDict):
    createdAt: str
    expiresAt: str
    # All numbers with this prefix and four more digits.
    prefix: str
    reason: str
    sent: int
    used: int


class SubscribeToSmsAddOnOrChangeItsTierRequest(TypedDict):
    tierId: str


class SubscribeToSmsAddOnOrChangeItsTierResponse(TypedDict):
    cancelAtPeriodEnd: bool
    # The address of the checkout; the add-on becomes active when it is paid. Null: no payment is needed.
    checkoutUrl: str | None
    # The maximum number of segments in this period.
    hardCap: int
    # Segments without extra charge.
    included: int
    # The tier of the next period, if it changes.
    nextTier: str | None
    pastDueSince: str | None
    payment: Literal["manual", "stripe"]
    periodEnd: str | None
    periodStart: str | None
    # Segments that can still be sent in this period.
    remaining: int
    # Segments of messages in transit.
    reserved: int
    # The test environment: no carrier sends anything, and nothing is charged.
    simulated: bool
    status: Literal["inactive", "active", "canceling", "canceled", "past_due"]
    tier: SmsTier | None
    # Segments that carriers accepted.
    used: int


class ListUsageOfSmsAddOnItem(TypedDict):
    # Minor units; negative for money received.
    amount: int
    country: str | None
    createdAt: str
    currency: str
    id: str
    kind: Literal["segment", "fee", "proration", "payment"]
    # Which segment of the message, from 1.
    part: int
    periodId: str
    # The message, period or statement that caused the entry.
    reference: str


class CheckStyleSheetRequest(TypedDict):
    accentColor: NotRequired[str | None]
    backgroundColor: NotRequired[str | None]
    css: str


class UploadImageOfBrandingRequest(TypedDict):
    # A PNG, JPEG, WebP or ICO image in base64, with up to 256 KiB and 16 to 2,048 pixels in width and height. Its content says what it is. SVG is refused, because it can hold scripts.
    content: str


class AddDomainRequest(TypedDict):
    # Such as `login.example.com`. Names in other scripts are accepted and stored in ASCII (A-labels).
    host: str


class BindDomainRequest(TypedDict):
    environment: Literal["test", "production", "prod"]
    projectId: str
    # What the domain is used for. `status`: the status page of the project, and nothing else; a domain of a status page has no other purpose.
    purpose: Literal["auth", "api", "status"]


class ReadEventFeedResponse(TypedDict):
    # In log order, oldest first.
    items: list[ReadEventFeedResponseItemsItem]
    # True if more events can be read now.
    more: bool
    # Pass it as `after` to continue, now or later. It advances even if no event had a selected type.
    nextAfter: int
    nextCursor: str | None


class ReadEventFeedResponseItemsItem(TypedDict):
    # The actor; the other fields depend on `kind`.
    actor: ReadEventFeedResponseItemsItemActor
    # The X-Correlation-Id of the request that caused the event.
    correlationId: str
    data: dict[str, Any]
    environment: Literal["test", "production"]
    # True for an example event, which only tests a receiver.
    example: NotRequired[bool]
    # The same in every delivery, so that receivers can detect duplicates.
    id: str
    occurredAt: str
    projectId: str
    # The position in the log of the project environment, without gaps. Null for a test event, which is not in the log.
    sequence: int | None
    # The time of `occurredAt`, under the name that Standard Webhooks uses.
    timestamp: str
    type: str
    workspaceId: str


class ReadEventFeedResponseItemsItemActor(TypedDict):
    """The actor; the other fields depend on `kind`."""

    kind: Literal["anonymous", "customer", "management", "operator", "setup_link", "system"]


class EmitExampleEventRequest(TypedDict):
    type: str


class EmitExampleEventResponse(TypedDict):
    id: str
    type: str


class AddIdentityProviderRequest(TypedDict):
    clientId: str
    # Stored encrypted, never shown again. Apple: the private key (PEM).
    clientSecret: NotRequired[str]
    enabled: NotRequired[bool]
    key: str
    name: NotRequired[str]
    options: NotRequired[IdentityProviderOptions]
    preset: Literal["oidc", "google", "apple", "microsoft", "gitlab", "linkedin", "github", "facebook", "discord"]


class ChangeIdentityProviderRequest(TypedDict):
    clientId: NotRequired[str]
    # Stored encrypted, never shown again. Apple: the private key (PEM).
    clientSecret: NotRequired[str]
    enabled: NotRequired[bool]
    name: NotRequired[str]
    options: NotRequired[IdentityProviderOptions]


class TestIdentityProviderResponse(TypedDict):
    detail: str
    issuer: str | None
    ok: bool


class InvitePersonRequest(TypedDict):
    email: str
    locale: NotRequired[str]
    organizationId: NotRequired[str]
    # In the organization.
    organizationRoles: NotRequired[list[str]]
    roles: NotRequired[list[str]]


AddLogStreamRequest = TypedDict("AddLogStreamRequest", {
    "caCertificate": "NotRequired[str | None]",
    "clientCertificate": "NotRequired[str | None]",
    "from": "NotRequired[str]",
    "header": "NotRequired[str | None]",
    "kind": "Literal[\"splunk\", \"datadog\", \"elastic\", \"json_lines\", \"otlp\", \"syslog\"]",
    "name": "str",
    "secret": "NotRequired[str | None]",
    "types": "NotRequired[list[str]]",
    "url": "str",
})


class ChangeLogStreamRequest(TypedDict):
    # The certificates that sign the certificate of the receiver, if no public authority does. They are trusted instead of the public authorities.
    caCertificate: NotRequired[str | None]
    # The certificate that Latchkey shows; the secret is its private key. Only for `syslog`.
    clientCertificate: NotRequired[str | None]
    # The header that carries the secret; `Authorization` if null. Only for `json_lines` and `otlp`.
    header: NotRequired[str | None]
    name: NotRequired[str]
    # The token or API key, or the value of the header with its scheme (`Bearer …`), or the private key of the client certificate (PEM). It is never returned.
    secret: NotRequired[str | None]
    # Event types, groups such as `user.*`, or `*`.
    types: NotRequired[list[str]]
    # The whole address that entries are posted to: https, or http in the test environment of an installation in development mode. For `syslog`: `tls://host:port`.
    url: NotRequired[str]


ResumeLogStreamRequest = TypedDict("ResumeLogStreamRequest", {
    "from": "NotRequired[str]",
})


class AddMemberRequest(TypedDict):
    birthdate: NotRequired[str | None]
    # Free JSON of the product, up to 16 KiB.
    customData: NotRequired[dict[str, Any]]
    displayName: NotRequired[str | None]
    email: NotRequired[str]
    # True if the address is known to be theirs; false when absent.
    emailVerified: NotRequired[bool]
    familyName: NotRequired[str | None]
    gender: NotRequired[str | None]
    givenName: NotRequired[str | None]
    locale: NotRequired[str | None]
    # Free JSON of the project, up to 16 KiB; the person does not see it.
    metadata: NotRequired[dict[str, Any]]
    middleName: NotRequired[str | None]
    nickname: NotRequired[str | None]
    password: NotRequired[str]
    phone: NotRequired[str]
    phoneVerified: NotRequired[bool]
    picture: NotRequired[str | None]
    profile: NotRequired[str | None]
    roles: NotRequired[list[str]]
    username: NotRequired[str]
    website: NotRequired[str | None]
    zoneinfo: NotRequired[str | None]


class CountMembersResponse(TypedDict):
    count: int
    # There are more than were counted.
    more: bool


class ReadImportAndItsReportResponse(TypedDict):
    # People who are new to the workspace.
    created: int
    createdAt: str
    dryRun: bool
    failed: int
    finishedAt: str | None
    id: str
    # People of the workspace who are new to the project; their accounts are unchanged.
    joined: int
    # Null at the end of the rows processed so far.
    nextCursor: str | None
    # The results of the processed rows, in file order. Rows are counted from 1.
    report: list[ReadImportAndItsReportResponseReportItem]
    # The number of rows in the file.
    rows: int
    rowsDone: int
    startedAt: str | None
    status: Literal["receiving", "queued", "running", "completed"]
    # People who are members already.
    unchanged: int


class ReadImportAndItsReportResponseReportItem(TypedDict):
    errors: list[ReadImportAndItsReportResponseReportItemErrorsItem]
    outcome: Literal["created", "joined", "unchanged", "failed"]
    row: int


class ReadImportAndItsReportResponseReportItemErrorsItem(TypedDict):
    message: str
    pointer: str


class ChangeMemberRequest(TypedDict):
    birthdate: NotRequired[str | None]
    # Free JSON of the product, up to 16 KiB.
    customData: NotRequired[dict[str, Any]]
    displayName: NotRequired[str | None]
    email: NotRequired[str]
    # True if the address is known to be theirs; false when absent.
    emailVerified: NotRequired[bool]
    familyName: NotRequired[str | None]
    gender: NotRequired[str | None]
    givenName: NotRequired[str | None]
    locale: NotRequired[str | None]
    # Free JSON of the project, up to 16 KiB; the person does not see it.
    metadata: NotRequired[dict[str, Any]]
    middleName: NotRequired[str | None]
    nickname: NotRequired[str | None]
    phone: NotRequired[str]
    phoneVerified: NotRequired[bool]
    picture: NotRequired[str | None]
    profile: NotRequired[str | None]
    username: NotRequired[str | None]
    website: NotRequired[str | None]
    zoneinfo: NotRequired[str | None]


class ActAsMemberRequest(TypedDict):
    # The application that may exchange the ticket. Required of operators and, as their own, of management clients.
    clientId: NotRequired[str]
    minutes: int
    # Shown to the person, and kept in the audit log.
    reason: str


class ActAsMemberResponse(TypedDict):
    endsAt: str
    exchangeBy: str
    # Exchanged once at the token endpoint (RFC 8693).
    ticket: str


class ReplaceRolesOfMemberRequest(TypedDict):
    roles: list[str]


class EndSessionsOfMemberResponse(TypedDict):
    revoked: int


class ListSentMessagesItem(TypedDict):
    attempts: int
    channel: Literal["email", "sms"]
    createdAt: str | None
    error: str | None
    id: str
    provider: str | None
    sentAt: str | None
    status: Literal["queued", "sending", "sent", "delivered", "undelivered", "failed", "expired", "suppressed"]
    template: str
    to: str


class AddRoleOfOrganizationsRequest(TypedDict):
    # Members of an organization who may change roles in it may also give and take this role without having the project’s own permissions that it grants.
    delegable: NotRequired[bool]
    description: NotRequired[str]
    key: str
    name: str
    # The project’s own permissions, and those to manage the organization (`org.…`). Built-in permissions of the project apply to the whole project.
    permissions: NotRequired[list[str]]


class ChangeRoleOfOrganizationsRequest(TypedDict):
    # Members of an organization who may change roles in it may also give and take this role without having the project’s own permissions that it grants.
    delegable: NotRequired[bool]
    description: NotRequired[str]
    name: NotRequired[str]
    # The project’s own permissions, and those to manage the organization (`org.…`). Built-in permissions of the project apply to the whole project.
    permissions: NotRequired[list[str]]


class AddOrganizationRequest(TypedDict):
    # Free JSON of the project, up to 16 KiB; the person does not see it.
    metadata: NotRequired[dict[str, Any]]
    name: str
    # Identifies the organization in addresses; unique in the project and environment.
    slug: NotRequired[str]


class ChangeOrganizationRequest(TypedDict):
    # Only addresses at its verified mail domains are invited to the organization.
    invitesVerifiedDomainsOnly: NotRequired[bool]
    # Free JSON of the project, up to 16 KiB; the person does not see it.
    metadata: NotRequired[dict[str, Any]]
    name: NotRequired[str]
    slug: NotRequired[str | None]


class ChangeBrandingOfOrganizationRequest(TypedDict):
    accentColor: NotRequired[str | None]
    backgroundColor: NotRequired[str | None]
    logoUrl: NotRequired[str | None]
    name: NotRequired[str | None]


class UploadImageOfOrganizationRequest(TypedDict):
    # A PNG, JPEG, WebP or ICO image in base64, with up to 256 KiB and 16 to 2,048 pixels in width and height. Its content says what it is. SVG is refused, because it can hold scripts.
    content: str


class AddConnectionToOrganizationRequest(TypedDict):
    attributes: NotRequired[AddConnectionToOrganizationRequestAttributes]
    # Roles in the organization by the name of a group at the identity provider. At each sign-in, the person gets the roles of their groups, and loses the other roles that are named here.
    groupRoles: NotRequired[dict[str, list[str]]]
    # People who sign in through it become members of the organization, with a new account if they have none. Without it, only members sign in.
    justInTime: NotRequired[bool]
    # Shown on the sign-in page.
    name: str
    oidc: NotRequired[AddConnectionToOrganizationRequestOidc]
    # While it is enabled, people with an address at a verified mail domain of the organization enter the organization only through a connection.
    required: NotRequired[bool]
    # The roles in the organization of those who join through it.
    roles: NotRequired[list[str]]
    saml: NotRequired[AddConnectionToOrganizationRequestSaml]
    status: NotRequired[Literal["enabled", "disabled"]]


class AddConnectionToOrganizationRequestAttributes(TypedDict):
    # The attribute with the full name.
    displayName: NotRequired[str]
    # The attribute with the email address.
    email: NotRequired[str]
    # The attribute with the family name.
    familyName: NotRequired[str]
    # The attribute with the given name.
    givenName: NotRequired[str]
    # The attribute with the names of the groups that the person is in.
    groups: NotRequired[str]


class AddConnectionToOrganizationRequestOidc(TypedDict):
    # How Latchkey authenticates at the identity provider: `client_secret` (the default), or `private_key_jwt` (RFC 7523) with a key that Latchkey makes for this connection; the identity provider reads the public part at `jwksUrl`.
    clientAuthentication: NotRequired[Literal["client_secret", "private_key_jwt"]]
    clientId: str
    # Stored encrypted, never shown again. Without it, PKCE alone proves the request.
    clientSecret: NotRequired[str]
    # Its discovery document is at `/.well-known/openid-configuration` below it.
    issuer: str
    scopes: NotRequired[list[str]]


class AddConnectionToOrganizationRequestSaml(TypedDict):
    # Switches on sign-ins that begin at the identity provider: the browser is sent to this address of your application, which begins a sign-in with `organization`. null: they are refused.
    idpInitiatedUrl: NotRequired[str | None]
    # The metadata of the identity provider, as XML. Give this or `metadataUrl`.
    metadata: NotRequired[str]
    # Where the identity provider publishes its metadata. They are read again every day.
    metadataUrl: NotRequired[str]
    # People who log out at the hosted pages of a session that began through the connection log out at the identity provider, too, where its metadata have an address for that by redirect. Logouts that begin at the identity provider need no switch.
    singleLogout: NotRequired[bool]


class ChangeConnectionOfOrganizationRequest(TypedDict):
    attributes: NotRequired[ChangeConnectionOfOrganizationRequestAttributes]
    # Roles in the organization by the name of a group at the identity provider. At each sign-in, the person gets the roles of their groups, and loses the other roles that are named here.
    groupRoles: NotRequired[dict[str, list[str]]]
    # People who sign in through it become members of the organization, with a new account if they have none. Without it, only members sign in.
    justInTime: NotRequired[bool]
    # Shown on the sign-in page.
    name: NotRequired[str]
    oidc: NotRequired[ChangeConnectionOfOrganizationRequestOidc]
    # While it is enabled, people with an address at a verified mail domain of the organization enter the organization only through a connection.
    required: NotRequired[bool]
    # The roles in the organization of those who join through it.
    roles: NotRequired[list[str]]
    saml: NotRequired[ChangeConnectionOfOrganizationRequestSaml]
    status: NotRequired[Literal["enabled", "disabled"]]


class ChangeConnectionOfOrganizationRequestAttributes(TypedDict):
    # The attribute with the full name.
    displayName: NotRequired[str]
    # The attribute with the email address.
    email: NotRequired[str]
    # The attribute with the family name.
    familyName: NotRequired[str]
    # The attribute with the given name.
    givenName: NotRequired[str]
    # The attribute with the names of the groups that the person is in.
    groups: NotRequired[str]


class ChangeConnectionOfOrganizationRequestOidc(TypedDict):
    # How Latchkey authenticates at the identity provider: `client_secret` (the default), or `private_key_jwt` (RFC 7523) with a key that Latchkey makes for this connection; the identity provider reads the public part at `jwksUrl`.
    clientAuthentication: NotRequired[Literal["client_secret", "private_key_jwt"]]
    clientId: NotRequired[str]
    # Stored encrypted, never shown again. Without it, PKCE alone proves the request.
    clientSecret: NotRequired[str]
    # Its discovery document is at `/.well-known/openid-configuration` below it.
    issuer: NotRequired[str]
    # With `private_key_jwt`. `begin` publishes a second key at `jwksUrl`; `finish`, once the identity provider has read it, signs with it and removes the first.
    keyRotation: NotRequired[Literal["begin", "finish"]]
    scopes: NotRequired[list[str]]


class ChangeConnectionOfOrganizationRequestSaml(TypedDict):
    # Switches on sign-ins that begin at the identity provider: the browser is sent to this address of your application, which begins a sign-in with `organization`. null: they are refused.
    idpInitiatedUrl: NotRequired[str | None]
    # `begin` publishes a second key in our metadata, which decrypts already. `finish`, once the identity provider has it, removes the first.
    keyRotation: NotRequired[Literal["begin", "finish"]]
    # The metadata of the identity provider, as XML. Give this or `metadataUrl`.
    metadata: NotRequired[str]
    # Where the identity provider publishes its metadata. They are read again every day.
    metadataUrl: NotRequired[str]
    # Reads the metadata at `metadataUrl` again.
    refresh: NotRequired[bool]
    # People who log out at the hosted pages of a session that began through the connection log out at the identity provider, too, where its metadata have an address for that by redirect. Logouts that begin at the identity provider need no switch.
    singleLogout: NotRequired[bool]


class TestConnectionOfOrganizationResponse(TypedDict):
    detail: str
    ok: bool


class AddCustomDomainToOrganizationRequest(TypedDict):
    # Such as `login.example.com`. Names in other scripts are accepted and stored in ASCII (A-labels).
    host: str


class AddMailDomainToOrganizationRequest(TypedDict):
    # The part of mail addresses behind the @.
    host: str


class ChangeWhoJoinsByMailDomainRequest(TypedDict):
    # People with a verified address at the domain join the organization when they sign in, except people who left it or were removed from it.
    autoJoin: NotRequired[bool]
    # The roles that people get in the organization when they join by the domain.
    roles: NotRequired[list[str]]


class AddMemberToOrganizationRequest(TypedDict):
    memberId: str
    roles: NotRequired[list[str]]


class ReplaceRolesOfMemberInOrganizationRequest(TypedDict):
    roles: list[str]


class ChangePolicyOfOrganizationRequest(TypedDict):
    addresses: NotRequired[list[str] | None]
    mfa: NotRequired[Literal["required"] | None]
    sessionAbsoluteSeconds: NotRequired[int | None]
    sessionIdleSeconds: NotRequired[int | None]
    signInMethods: NotRequired[list[Literal["password", "magic_link", "email_code", "phone", "passkey", "social"]] | None]


class ChooseRolesOfDirectoryGroupRequest(TypedDict):
    roles: list[str]


class IssueScimTokenRequest(TypedDict):
    # Seconds; without it the token does not expire.
    expiresIn: NotRequired[int]
    # Such as the directory’s name.
    name: str


class IssueScimTokenResponse(TypedDict):
    createdAt: str
    expiresAt: str | None
    id: str
    lastUsedAt: str | None
    name: str
    # Shown once.
    token: str


class MakeSetUpLinkOfOrganizationRequest(TypedDict):
    # Receives the link.
    email: NotRequired[str]
    # Seconds.
    expiresIn: NotRequired[int]
    frameOrigin: NotRequired[str | None]
    locale: NotRequired[Literal["en", "de", "fr", "es", "ja", "zh", "ar"] | None]
    returnUrl: NotRequired[str | None]
    # With the task `team` or `directory`: the roles in the organization that invitations and groups of the directory may give.
    roles: NotRequired[list[str]]
    # What can be set up with the link: only what its maker may do themselves, at each use.
    tasks: list[Literal["domains", "connection", "directory", "policies", "team"]]


class MakeSetUpLinkOfOrganizationResponse(TypedDict):
    completedAt: str | None
    createdAt: str
    email: str | None
    expiresAt: str
    frameOrigin: str | None
    id: str
    locale: Literal["en", "de", "fr", "es", "ja", "zh", "ar"] | None
    # A user or application; null: the system.
    madeBy: str | None
    openedAt: str | None
    organizationId: str
    returnUrl: str | None
    # With the task `team` or `directory`: the roles in the organization that invitations and groups of the directory may give.
    roles: list[str]
    status: Literal["active", "expired", "revoked"]
    # What can be set up with the link: only what its maker may do themselves, at each use.
    tasks: list[Literal["domains", "connection", "directory", "policies", "team"]]
    # Shown once. Give it only to the person who sets the organization up.
    url: str


class AddPermissionRequest(TypedDict):
    description: str
    key: str


class ChangeDescriptionOfPermissionRequest(TypedDict):
    description: str


class AddRoleRequest(TypedDict):
    description: NotRequired[str]
    key: str
    name: str
    permissions: NotRequired[list[str]]


class ChangeRoleRequest(TypedDict):
    description: NotRequired[str]
    name: NotRequired[str]


class ReplacePermissionsOfRoleRequest(TypedDict):
    permissions: list[str]


class ListSamlKeysResponse(TypedDict):
    items: list[SamlKey]


class ChangeSettingsRequest(TypedDict):
    # Lifetime of an access token.
    accessTokenSeconds: NotRequired[int]
    # Caps session lifetimes at what NIST SP 800-63B-4 allows for the level.
    assurance: NotRequired[Literal["standard", "aal1", "aal2", "aal3"]]
    # Lifetime of an authorization code of OpenID Connect; at most 60 for a client of the profile `fapi2`.
    authorizationCodeSeconds: NotRequired[int]
    branding: NotRequired[Branding]
    # The language for people who prefer none of `locales`. Must be one of `locales`.
    defaultLanguage: NotRequired[Literal["en", "de", "fr", "es", "ja", "zh", "ar"]]
    # People get a mail when an application begins to act for them by token exchange (RFC 8693).
    delegationNotices: NotRequired[bool]
    # `with_token`: programs that hold a registration token may register themselves as applications (RFC 7591).
    dynamicRegistration: NotRequired[Literal["off", "with_token"]]
    # `required`: new users verify their address before their first session starts.
    emailVerification: NotRequired[Literal["off", "required"]]
    # True: the response does not reveal whether an address has an account; the owner of an existing account gets a mail instead.
    enumerationProtection: NotRequired[bool]
    # How long a member with `members:impersonate` may act as another member. 0 disables impersonation.
    impersonationMinutes: NotRequired[int]
    # Lifetime of invitations.
    invitationSeconds: NotRequired[int]
    # The languages that pages and messages are offered in.
    locales: NotRequired[list[Literal["en", "de", "fr", "es", "ja", "zh", "ar"]]]
    # Lifetime of mailed links; a code in the same mail ends with its link.
    magicLinkSeconds: NotRequired[int]
    # Lifetime of a management token.
    managementTokenSeconds: NotRequired[int]
    # The maximum number of members of an organization; existing ones stay.
    maxOrganizationMembers: NotRequired[int]
    # The maximum number of organizations of the project; existing ones stay.
    maxOrganizations: NotRequired[int]
    # Organizations that a member may own in order to add another one; 0: members add none.
    maxOwnOrganizations: NotRequired[int]
    # The maximum number of relations to resources; existing ones stay.
    maxRelations: NotRequired[int]
    # Second factors: never asked for, asked of people who set one up, or required of all.
    mfa: NotRequired[Literal["off", "optional", "required"]]
    # Second factors people may set up. A phone is a restricted authenticator (NIST SP 800-63B-4).
    mfaFactors: NotRequired[list[Literal["totp", "phone", "passkey"]]]
    # How long a sign-in waits for its second factor.
    mfaTokenSeconds: NotRequired[int]
    # Lifetime of codes by mail and text message.
    oneTimeCodeSeconds: NotRequired[int]
    # After this many wrong codes, a code or a sign-in that waits for its second factor becomes invalid.
    oneTimeCodeTries: NotRequired[int]
    # What members of an organization manage in it themselves if their roles permit it: its connections, its directory (SCIM), its policy. Each can lock people out.
    organizationSelfService: NotRequired[list[Literal["connections", "directory", "policy"]]]
    # WebAuthn relying party id; null: the host name of the auth address.
    passkeyRpId: NotRequired[str | None]
    # Raised to 15 where the password is the only factor.
    passwordMinLength: NotRequired[int]
    # `required`: clients solve a puzzle before they register, sign in with a password or ask for a message.
    proofOfWork: NotRequired[Literal["off", "required"]]
    # Whether people may register by themselves.
    registration: NotRequired[Literal["open", "closed"]]
    # How long a device may skip the second factor; 0 disables it.
    rememberDeviceSeconds: NotRequired[int]
    # A session ends this long after sign-in.
    sessionAbsoluteSeconds: NotRequired[int]
    # A session ends when it is not refreshed for this long.
    sessionIdleSeconds: NotRequired[int]
    # Hosted sign-in: `identifier_first` asks for the address and then offers the ways in for it; `combined` asks for address and password on one page.
    signInLayout: NotRequired[Literal["combined", "identifier_first"]]
    # The sign-in methods that the project offers.
    signInMethods: NotRequired[list[Literal["password", "magic_link", "email_code", "phone", "passkey", "social"]]]
    # Numbers that never get a message and have a fixed code. Test environment only.
    testPhoneNumbers: NotRequired[list[ChangeSettingsRequestTestPhoneNumbersItem]]
    # How long webhook deliveries are kept.
    webhookLogDays: NotRequired[int]


class ChangeSettingsRequestTestPhoneNumbersItem(TypedDict):
    code: str
    phone: str


class ReplaceMessageTemplateRequest(TypedDict):
    action: str
    body: str
    subject: str


class PreviewMessageTemplateRequest(TypedDict):
    action: NotRequired[str]
    body: NotRequired[str]
    subject: NotRequired[str]


class PreviewMessageTemplateResponse(TypedDict):
    html: str | None
    subject: str
    text: str


class AddStatusComponentRequest(TypedDict):
    check: ComponentCheck
    description: NotRequired[str]
    groupId: str
    name: str
    # Lower positions come first in the group.
    position: NotRequired[int]
    # A component that is `never` shown does not affect the status either.
    shown: NotRequired[Literal["always", "when_degraded", "never"]]


class AddStatusComponentResponse(TypedDict):
    builtIn: bool
    # Null for a built-in component.
    check: ComponentCheck | None
    createdAt: str
    description: str
    groupId: str
    heartbeatAt: str | None
    heartbeatUrl: str | None
    id: str
    name: str
    position: int
    # A component that is `never` shown does not affect the status either.
    shown: Literal["always", "when_degraded", "never"]
    status: Literal["operational", "degraded_performance", "partial_outage", "major_outage"]
    statusSince: str
    updatedAt: str


class ChangeHowStatusComponentIsShownRequest(TypedDict):
    description: NotRequired[str]
    groupId: NotRequired[str]
    name: NotRequired[str]
    # Lower positions come first in the group.
    position: NotRequired[int]
    # A component that is `never` shown does not affect the status either.
    shown: NotRequired[Literal["always", "when_degraded", "never"]]


class AddStatusGroupRequest(TypedDict):
    name: str
    # Lower positions come first.
    position: NotRequired[int]


class ChangeStatusGroupRequest(TypedDict):
    name: NotRequired[str]
    # Lower positions come first.
    position: NotRequired[int]


class OpenIncidentRequest(TypedDict):
    body: str
    componentIds: NotRequired[StatusComponentIds]
    # The status of components by id, instead of the status that the severity gives to those in `componentIds`: `degraded_performance` for minor, `partial_outage` for major, `major_outage` for critical. The worse of this and the measured status is shown. An update replaces the earlier values.
    componentStatuses: NotRequired[dict[str, Literal["operational", "degraded_performance", "partial_outage", "major_outage"]]]
    # Not public and not announced until it is published.
    draft: NotRequired[bool]
    phase: NotRequired[Literal["investigating", "identified", "monitoring", "resolved"]]
    severity: Literal["minor", "major", "critical"]
    startedAt: NotRequired[str]
    title: str


class CorrectIncidentOrWriteItsPostmortemRequest(TypedDict):
    componentIds: NotRequired[StatusComponentIds]
    postmortem: NotRequired[str | None]
    severity: NotRequired[Literal["minor", "major", "critical"]]
    title: NotRequired[str]


class AddUpdateToIncidentRequest(TypedDict):
    body: str
    # The status of components by id, instead of the status that the severity gives to those in `componentIds`: `degraded_performance` for minor, `partial_outage` for major, `major_outage` for critical. The worse of this and the measured status is shown. An update replaces the earlier values.
    componentStatuses: NotRequired[dict[str, Literal["operational", "degraded_performance", "partial_outage", "major_outage"]]]
    phase: Literal["investigating", "identified", "monitoring", "resolved"]


class PlanMaintenanceRequest(TypedDict):
    beginsAt: str
    body: str
    componentIds: StatusComponentIds
    endsAt: str
    # How many minutes before the start subscribers are reminded; 0 for never, 60 when absent.
    remindMinutes: NotRequired[int]
    title: str


class ChangeMaintenanceRequest(TypedDict):
    beginsAt: NotRequired[str]
    endsAt: NotRequired[str]
    title: NotRequired[str]


class AddUpdateToMaintenanceRequest(TypedDict):
    body: str
    phase: Literal["scheduled", "in_progress", "verifying", "completed"]


class MakePublishOrHideStatusPageOfProjectRequest(TypedDict):
    # How the address begins. Latchkey adds ten characters that cannot be guessed, so no address is taken, and none tells whether a page exists. Another word makes another address, and the old one ends. When absent, the address stays; that of a new page begins with the name of the project.
    address: NotRequired[str]
    # When absent, it stays; a new page is public.
    audience: NotRequired[Literal["public", "members"]]
    published: bool


class PreviewWhatSubscribersWouldBeToldRequest(TypedDict):
    body: str
    componentIds: NotRequired[StatusComponentIds]
    kind: Literal["incident", "maintenance"]
    phase: Literal["investigating", "identified", "monitoring", "resolved", "scheduled", "in_progress", "verifying", "completed"]
    severity: NotRequired[Literal["minor", "major", "critical"] | None]
    title: str


class PreviewWhatSubscribersWouldBeToldResponse(TypedDict):
    # How many subscribers would be told.
    count: int
    # The message of each channel.
    messages: list[PreviewWhatSubscribersWouldBeToldResponseMessagesItem]
    # What text messages take of the SMS add-on; null for a page that sends none.
    texts: StatusTextsPrice | None


class PreviewWhatSubscribersWouldBeToldResponseMessagesItem(TypedDict):
    channel: Literal["email", "sms", "webhook", "slack", "teams", "discord"]
    count: int
    # Of a mail; null for the others.
    subject: str | None
    # In the default language of the page. A webhook gets this JSON.
    text: str


class ChangeSettingsOfStatusRequest(TypedDict):
    # Null: the colour of the project. A colour with too little contrast is adjusted.
    accentColor: NotRequired[str | None]
    # The recipients of a message when the status changes from operational to degraded and back.
    alertEmails: NotRequired[list[str]]
    # What happens when a measured component fails: nothing, a draft to publish, or a public incident.
    automatic: NotRequired[Literal["off", "draft", "publish"]]
    # The language for people who prefer none of `locales`, and of feeds, badge and documents for programs. Must be one of `locales`.
    defaultLanguage: NotRequired[Literal["en", "de", "fr", "es", "ja", "zh", "ar"]]
    # The languages in which visitors read the page and subscribers get messages.
    locales: NotRequired[list[Literal["en", "de", "fr", "es", "ja", "zh", "ar"]]]
    # Null: the logo of the project.
    logoUrl: NotRequired[str | None]
    # What the page is about. Null: the name of the project.
    name: NotRequired[str | None]
    # Where visitors get help; linked on the page.
    supportUrl: NotRequired[str | None]
    # Whether visitors can subscribe by text message. Needs the SMS add-on of the project, which pays for each message.
    textMessages: NotRequired[bool]


class ListStatusSubscribersItem(TypedDict):
    # Empty once the subscription has ended. Of a chat service only the host and the last four characters, because the whole address lets everybody post to the channel.
    address: str
    channel: Literal["email", "sms", "webhook", "slack", "teams", "discord"]
    # The components of the subscription; empty means all.
    componentIds: list[str]
    confirmedAt: str | None
    consent: str
    createdAt: str
    id: str
    locale: str | None
    source: Literal["self", "import"]
    state: Literal["pending", "active", "quarantined", "unsubscribed"]
    suspendedAt: str | None
    suspendedReason: Literal["bounce", "unreached", "failing"] | None


class ReportBouncedAddressesRequest(TypedDict):
    emails: NotRequired[list[str]]
    phones: NotRequired[list[str]]


class ReportBouncedAddressesResponse(TypedDict):
    quarantined: int


class CountWhoWouldBeToldResponse(TypedDict):
    # True if there are more than 100000, which `count` then says.
    atLeast: bool
    count: int


class ImportSubscribersWhoConsentedElsewhereRequest(TypedDict):
    # Where and how these people consented; stored with each of them.
    consent: str
    subscribers: list[ImportSubscribersWhoConsentedElsewhereRequestSubscribersItem]


class ImportSubscribersWhoConsentedElsewhereRequestSubscribersItem(TypedDict):
    componentIds: NotRequired[StatusComponentIds]
    email: NotRequired[str]
    locale: NotRequired[Literal["en", "de", "fr", "es", "ja", "zh", "ar"]]
    phone: NotRequired[str]


class ImportSubscribersWhoConsentedElsewhereResponse(TypedDict):
    added: int
    skipped: int


class ReadStatusSubscriberResponse(TypedDict):
    # Empty once the subscription has ended. Of a chat service only the host and the last four characters, because the whole address lets everybody post to the channel.
    address: str
    channel: Literal["email", "sms", "webhook", "slack", "teams", "discord"]
    # The components of the subscription; empty means all.
    componentIds: list[str]
    confirmedAt: str | None
    consent: str
    createdAt: str
    id: str
    locale: str | None
    source: Literal["self", "import"]
    state: Literal["pending", "active", "quarantined", "unsubscribed"]
    suspendedAt: str | None
    suspendedReason: Literal["bounce", "unreached", "failing"] | None


class AddTemplateOfIncidentOrMaintenanceRequest(TypedDict):
    # The console replaces {components}, {time}, and in a maintenance {begins} and {ends} when it is published.
    body: str
    componentIds: NotRequired[StatusComponentIds]
    # How long a maintenance is planned for; null for an incident, and where it differs.
    durationMinutes: NotRequired[int | None]
    kind: Literal["incident", "maintenance"]
    # How the team finds it.
    name: str
    # Of an incident; null for a maintenance.
    severity: NotRequired[Literal["minor", "major", "critical"] | None]
    title: str


class ChangeTemplateRequest(TypedDict):
    # The console replaces {components}, {time}, and in a maintenance {begins} and {ends} when it is published.
    body: NotRequired[str]
    componentIds: NotRequired[StatusComponentIds]
    # How long a maintenance is planned for; null for an incident, and where it differs.
    durationMinutes: NotRequired[int | None]
    # How the team finds it.
    name: NotRequired[str]
    # Of an incident; null for a maintenance.
    severity: NotRequired[Literal["minor", "major", "critical"] | None]
    title: NotRequired[str]


class AddWebhookEndpointRequest(TypedDict):
    description: NotRequired[str]
    enabled: NotRequired[bool]
    # Event types, groups such as `user.*`, or `*`.
    events: list[str]
    # Sent with every delivery. Values that look like credentials are shown as `[redacted]`; a header that is sent back as `[redacted]` keeps its value.
    headers: NotRequired[dict[str, str]]
    # Only events about this organization are sent: those whose `data.organizationId` names it. It cannot be changed.
    organizationId: NotRequired[str | None]
    # https; http in the test environment of an installation in development mode. Without user name, password and fragment.
    url: str


class ChangeWebhookEndpointRequest(TypedDict):
    description: NotRequired[str]
    enabled: NotRequired[bool]
    # Event types, groups such as `user.*`, or `*`.
    events: NotRequired[list[str]]
    # Sent with every delivery. Values that look like credentials are shown as `[redacted]`; a header that is sent back as `[redacted]` keeps its value.
    headers: NotRequired[dict[str, str]]
    # https; http in the test environment of an installation in development mode. Without user name, password and fragment.
    url: NotRequired[str]


class RecoverEventsThatWebhookEndpointMissedRequest(TypedDict):
    since: str


class RecoverEventsThatWebhookEndpointMissedResponse(TypedDict):
    status: Literal["accepted"]


class ReplayEventsToWebhookEndpointRequest(TypedDict):
    since: str
    # Event types or groups; the endpoint’s own selection when absent.
    types: NotRequired[list[str]]
    # Now when absent.
    until: NotRequired[str]


class ReplayEventsToWebhookEndpointResponse(TypedDict):
    status: Literal["accepted"]


class RotateSecretOfWebhookEndpointRequest(TypedDict):
    # How long the previous secret also signs, in seconds; a day when absent.
    overlapSeconds: NotRequired[int]


class ReadStatisticsOfWebhookEndpointResponse(TypedDict):
    attempts: ReadStatisticsOfWebhookEndpointResponseAttempts
    deliveries: ReadStatisticsOfWebhookEndpointResponseDeliveries
    # Attempts of deliveries that were queued in each hour of the period, oldest first.
    hours: list[ReadStatisticsOfWebhookEndpointResponseHoursItem]
    # When the oldest waiting delivery was queued.
    oldestWaitingAt: str | None
    # The start of the counted period, which is the last 24 hours.
    since: str
    # The share of successful attempts, 0 to 1; null without attempts.
    successRate: float | None


class ReadStatisticsOfWebhookEndpointResponseAttempts(TypedDict):
    p50Ms: float | None
    p99Ms: float | None
    succeeded: int
    total: int


class ReadStatisticsOfWebhookEndpointResponseDeliveries(TypedDict):
    blocked: int
    delivered: int
    failed: int
    pending: int
    retrying: int


class ReadStatisticsOfWebhookEndpointResponseHoursItem(TypedDict):
    failed: int
    p50Ms: float | None
    p99Ms: float | None
    since: str
    succeeded: int


class SendTestEventToWebhookEndpointRequest(TypedDict):
    # `user.created` when absent.
    type: NotRequired[str]


class SendTestEventToWebhookEndpointResponse(TypedDict):
    eventId: str
    eventType: str


class EraseMyAccountResponse(TypedDict):
    erasesAt: str


class ReadMyRolesAndPermissionsResponse(TypedDict):
    permissions: list[str]
    roles: list[ReadMyRolesAndPermissionsResponseRolesItem]
    # Changes whenever the roles or permissions change.
    version: str


class ReadMyRolesAndPermissionsResponseRolesItem(TypedDict):
    id: str
    key: str
    name: str


class CheckOneOfMyPermissionsRequest(TypedDict):
    # Of the organizations of the person, only this one counts.
    organizationId: NotRequired[str]
    permission: str
    # A type and an id of yours: up to 200 printable ASCII characters without spaces.
    resource: NotRequired[str]


class ReadMyContextResponse(TypedDict):
    environment: Literal["test", "production"]
    membership: ReadMyContextResponseMembership
    organization: ReadMyContextResponseOrganization | None
    project: ReadMyContextResponseProject
    session: ReadMyContextResponseSession
    user: ReadMyContextResponseUser
    workspace: ReadMyContextResponseWorkspace


class ReadMyContextResponseMembership(TypedDict):
    id: str
    joinedAt: str
    roles: list[str]
    status: str


class ReadMyContextResponseOrganization(TypedDict):
    """The organization that the session is in."""

    id: str
    name: str
    # What the roles grant in this organization.
    permissions: list[str]
    roles: list[str]
    slug: str | None


class ReadMyContextResponseProject(TypedDict):
    id: str
    name: str


class ReadMyContextResponseSession(TypedDict):
    acr: str
    amr: list[str]
    authTime: str
    createdAt: str
    expiresAt: str
    id: str


class ReadMyContextResponseUser(TypedDict):
    displayName: str | None
    email: str | None
    emailVerified: bool
    id: str
    phone: str | None
    phoneVerified: bool
    username: str | None


class ReadMyContextResponseWorkspace(TypedDict):
    id: str
    name: str


class LinkIdentityRequest(TypedDict):
    clientId: NotRequired[str]
    # The code from the redirect address. It works only in the session that started the linking.
    code: NotRequired[str]
    # The token of a sign-in that returned `link_required`. Never take it from the address of a page.
    linkToken: NotRequired[str]
    provider: NotRequired[str]
    redirectUri: NotRequired[str]


class LinkIdentityResponse(TypedDict):
    # Seconds.
    expiresIn: int
    url: str


class ListMyMembershipsItem(TypedDict):
    environment: Literal["test", "production"]
    id: str
    joinedAt: str
    projectId: str
    projectName: str
    roles: list[str]
    status: Literal["active", "invited", "blocked"]
    workspaceId: str


class ReadOneOfMyMembershipsResponse(TypedDict):
    environment: Literal["test", "production"]
    id: str
    joinedAt: str
    projectId: str
    projectName: str
    roles: list[str]
    status: Literal["active", "invited", "blocked"]
    workspaceId: str


class AddOrganizationOfMyOwnRequest(TypedDict):
    name: str
    # Identifies the organization in addresses; unique in the project and environment.
    slug: NotRequired[str]


class ChangeOneOfMyOrganizationsRequest(TypedDict):
    # Only addresses at its verified mail domains are invited to the organization.
    invitesVerifiedDomainsOnly: NotRequired[bool]
    name: NotRequired[str]
    slug: NotRequired[str | None]


class ChangeBrandingOfOneOfMyOrganizationsRequest(TypedDict):
    accentColor: NotRequired[str | None]
    backgroundColor: NotRequired[str | None]
    logoUrl: NotRequired[str | None]
    name: NotRequired[str | None]


class UploadImageOfOneOfMyOrganizationsRequest(TypedDict):
    # A PNG, JPEG, WebP or ICO image in base64, with up to 256 KiB and 16 to 2,048 pixels in width and height. Its content says what it is. SVG is refused, because it can hold scripts.
    content: str


class AddConnectionToOneOfMyOrganizationsRequest(TypedDict):
    attributes: NotRequired[AddConnectionToOneOfMyOrganizationsRequestAttributes]
    # Roles in the organization by the name of a group at the identity provider. At each sign-in, the person gets the roles of their groups, and loses the other roles that are named here.
    groupRoles: NotRequired[dict[str, list[str]]]
    # People who sign in through it become members of the organization, with a new account if they have none. Without it, only members sign in.
    justInTime: NotRequired[bool]
    # Shown on the sign-in page.
    name: str
    oidc: NotRequired[AddConnectionToOneOfMyOrganizationsRequestOidc]
    # While it is enabled, people with an address at a verified mail domain of the organization enter the organization only through a connection.
    required: NotRequired[bool]
    # The roles in the organization of those who join through it.
    roles: NotRequired[list[str]]
    saml: NotRequired[AddConnectionToOneOfMyOrganizationsRequestSaml]
    status: NotRequired[Literal["enabled", "disabled"]]


class AddConnectionToOneOfMyOrganizationsRequestAttributes(TypedDict):
    # The attribute with the full name.
    displayName: NotRequired[str]
    # The attribute with the email address.
    email: NotRequired[str]
    # The attribute with the family name.
    familyName: NotRequired[str]
    # The attribute with the given name.
    givenName: NotRequired[str]
    # The attribute with the names of the groups that the person is in.
    groups: NotRequired[str]


class AddConnectionToOneOfMyOrganizationsRequestOidc(TypedDict):
    # How Latchkey authenticates at the identity provider: `client_secret` (the default), or `private_key_jwt` (RFC 7523) with a key that Latchkey makes for this connection; the identity provider reads the public part at `jwksUrl`.
    clientAuthentication: NotRequired[Literal["client_secret", "private_key_jwt"]]
    clientId: str
    # Stored encrypted, never shown again. Without it, PKCE alone proves the request.
    clientSecret: NotRequired[str]
    # Its discovery document is at `/.well-known/openid-configuration` below it.
    issuer: str
    scopes: NotRequired[list[str]]


class AddConnectionToOneOfMyOrganizationsRequestSaml(TypedDict):
    # Switches on sign-ins that begin at the identity provider: the browser is sent to this address of your application, which begins a sign-in with `organization`. null: they are refused.
    idpInitiatedUrl: NotRequired[str | None]
    # The metadata of the identity provider, as XML. Give this or `metadataUrl`.
    metadata: NotRequired[str]
    # Where the identity provider publishes its metadata. They are read again every day.
    metadataUrl: NotRequired[str]
    # People who log out at the hosted pages of a session that began through the connection log out at the identity provider, too, where its metadata have an address for that by redirect. Logouts that begin at the identity provider need no switch.
    singleLogout: NotRequired[bool]


class ChangeConnectionOfOneOfMyOrganizationsRequest(TypedDict):
    attributes: NotRequired[ChangeConnectionOfOneOfMyOrganizationsRequestAttributes]
    # Roles in the organization by the name of a group at the identity provider. At each sign-in, the person gets the roles of their groups, and loses the other roles that are named here.
    groupRoles: NotRequired[dict[str, list[str]]]
    # People who sign in through it become members of the organization, with a new account if they have none. Without it, only members sign in.
    justInTime: NotRequired[bool]
    # Shown on the sign-in page.
    name: NotRequired[str]
    oidc: NotRequired[ChangeConnectionOfOneOfMyOrganizationsRequestOidc]
    # While it is enabled, people with an address at a verified mail domain of the organization enter the organization only through a connection.
    required: NotRequired[bool]
    # The roles in the organization of those who join through it.
    roles: NotRequired[list[str]]
    saml: NotRequired[ChangeConnectionOfOneOfMyOrganizationsRequestSaml]
    status: NotRequired[Literal["enabled", "disabled"]]


class ChangeConnectionOfOneOfMyOrganizationsRequestAttributes(TypedDict):
    # The attribute with the full name.
    displayName: NotRequired[str]
    # The attribute with the email address.
    email: NotRequired[str]
    # The attribute with the family name.
    familyName: NotRequired[str]
    # The attribute with the given name.
    givenName: NotRequired[str]
    # The attribute with the names of the groups that the person is in.
    groups: NotRequired[str]


class ChangeConnectionOfOneOfMyOrganizationsRequestOidc(TypedDict):
    # How Latchkey authenticates at the identity provider: `client_secret` (the default), or `private_key_jwt` (RFC 7523) with a key that Latchkey makes for this connection; the identity provider reads the public part at `jwksUrl`.
    clientAuthentication: NotRequired[Literal["client_secret", "private_key_jwt"]]
    clientId: NotRequired[str]
    # Stored encrypted, never shown again. Without it, PKCE alone proves the request.
    clientSecret: NotRequired[str]
    # Its discovery document is at `/.well-known/openid-configuration` below it.
    issuer: NotRequired[str]
    # With `private_key_jwt`. `begin` publishes a second key at `jwksUrl`; `finish`, once the identity provider has read it, signs with it and removes the first.
    keyRotation: NotRequired[Literal["begin", "finish"]]
    scopes: NotRequired[list[str]]


class ChangeConnectionOfOneOfMyOrganizationsRequestSaml(TypedDict):
    # Switches on sign-ins that begin at the identity provider: the browser is sent to this address of your application, which begins a sign-in with `organization`. null: they are refused.
    idpInitiatedUrl: NotRequired[str | None]
    # `begin` publishes a second key in our metadata, which decrypts already. `finish`, once the identity provider has it, removes the first.
    keyRotation: NotRequired[Literal["begin", "finish"]]
    # The metadata of the identity provider, as XML. Give this or `metadataUrl`.
    metadata: NotRequired[str]
    # Where the identity provider publishes its metadata. They are read again every day.
    metadataUrl: NotRequired[str]
    # Reads the metadata at `metadataUrl` again.
    refresh: NotRequired[bool]
    # People who log out at the hosted pages of a session that began through the connection log out at the identity provider, too, where its metadata have an address for that by redirect. Logouts that begin at the identity provider need no switch.
    singleLogout: NotRequired[bool]


class TestConnectionOfOneOfMyOrganizationsResponse(TypedDict):
    detail: str
    ok: bool


class AddCustomDomainToOneOfMyOrganizationsRequest(TypedDict):
    # Such as `login.example.com`. Names in other scripts are accepted and stored in ASCII (A-labels).
    host: str


class AddMailDomainToOneOfMyOrganizationsRequest(TypedDict):
    # The part of mail addresses behind the @.
    host: str


class ChangeWhoJoinsOneOfMyOrganizationsByMailDomainRequest(TypedDict):
    # People with a verified address at the domain join the organization when they sign in, except people who left it or were removed from it.
    autoJoin: NotRequired[bool]
    # The roles that people get in the organization when they join by the domain.
    roles: NotRequired[list[str]]


class InvitePersonToOneOfMyOrganizationsRequest(TypedDict):
    email: str
    locale: NotRequired[str]
    # In the organization.
    roles: NotRequired[list[str]]


class ReplaceRolesOfMemberInOneOfMyOrganizationsRequest(TypedDict):
    roles: list[str]


class ChangePolicyOfOneOfMyOrganizationsRequest(TypedDict):
    addresses: NotRequired[list[str] | None]
    mfa: NotRequired[Literal["required"] | None]
    sessionAbsoluteSeconds: NotRequired[int | None]
    sessionIdleSeconds: NotRequired[int | None]
    signInMethods: NotRequired[list[Literal["password", "magic_link", "email_code", "phone", "passkey", "social"]] | None]


class ChooseRolesOfDirectoryGroupOfOneOfMyOrganizationsRequest(TypedDict):
    roles: list[str]


class IssueScimTokenOfOneOfMyOrganizationsRequest(TypedDict):
    # Seconds; without it the token does not expire.
    expiresIn: NotRequired[int]
    # Such as the directory’s name.
    name: str


class IssueScimTokenOfOneOfMyOrganizationsResponse(TypedDict):
    createdAt: str
    expiresAt: str | None
    id: str
    lastUsedAt: str | None
    name: str
    # Shown once.
    token: str


class MakeSetUpLinkOfOneOfMyOrganizationsRequest(TypedDict):
    # Receives the link.
    email: NotRequired[str]
    # Seconds.
    expiresIn: NotRequired[int]
    frameOrigin: NotRequired[str | None]
    locale: NotRequired[Literal["en", "de", "fr", "es", "ja", "zh", "ar"] | None]
    returnUrl: NotRequired[str | None]
    # With the task `team` or `directory`: the roles in the organization that invitations and groups of the directory may give.
    roles: NotRequired[list[str]]
    # What can be set up with the link: only what its maker may do themselves, at each use.
    tasks: list[Literal["domains", "connection", "directory", "policies", "team"]]


class MakeSetUpLinkOfOneOfMyOrganizationsResponse(TypedDict):
    completedAt: str | None
    createdAt: str
    email: str | None
    expiresAt: str
    frameOrigin: str | None
    id: str
    locale: Literal["en", "de", "fr", "es", "ja", "zh", "ar"] | None
    # A user or application; null: the system.
    madeBy: str | None
    openedAt: str | None
    organizationId: str
    returnUrl: str | None
    # With the task `team` or `directory`: the roles in the organization that invitations and groups of the directory may give.
    roles: list[str]
    status: Literal["active", "expired", "revoked"]
    # What can be set up with the link: only what its maker may do themselves, at each use.
    tasks: list[Literal["domains", "connection", "directory", "policies", "team"]]
    # Shown once. Give it only to the person who sets the organization up.
    url: str


class ChangeMyProfileRequest(TypedDict):
    birthdate: NotRequired[str | None]
    # Free JSON of the product, up to 16 KiB.
    customData: NotRequired[dict[str, Any]]
    displayName: NotRequired[str | None]
    familyName: NotRequired[str | None]
    gender: NotRequired[str | None]
    givenName: NotRequired[str | None]
    locale: NotRequired[str | None]
    middleName: NotRequired[str | None]
    nickname: NotRequired[str | None]
    picture: NotRequired[str | None]
    profile: NotRequired[str | None]
    username: NotRequired[str | None]
    website: NotRequired[str | None]
    zoneinfo: NotRequired[str | None]


class ChangeMyEmailAddressRequest(TypedDict):
    email: str


class ConfirmMyNewEmailAddressRequest(TypedDict):
    code: str
    flowId: str


class ExportMyDataResponse(TypedDict):
    # The newest ten thousand changes of records that are not the person’s own, by their ids.
    activity: list[dict[str, Any]]
    # The OAuth scopes that the person allowed.
    consents: list[dict[str, Any]]
    credentials: ExportMyDataResponseCredentials
    # What the directories of organizations provide about the person (SCIM).
    directoryRecords: list[dict[str, Any]]
    # The newest ten thousand events.
    events: list[dict[str, Any]]
    exportedAt: str
    # Email, phone and username, and when each was verified.
    identifiers: list[dict[str, Any]]
    # Invitations to the email address.
    invitations: list[dict[str, Any]]
    # Accounts at identity providers.
    linkedIdentities: list[dict[str, Any]]
    # Memberships in every project of the workspace, with roles and metadata.
    memberships: list[dict[str, Any]]
    # The newest ten thousand mails and text messages, without their text.
    messages: list[dict[str, Any]]
    # Organizations of those projects, with the roles in each, and whether it is the default of its project.
    organizations: list[dict[str, Any]]
    profile: dict[str, Any]
    # The first ten thousand relations of the person to resources of those projects.
    relations: list[dict[str, Any]]
    # Codes and links asked for lately: where they went, and from where they were asked for.
    requests: list[dict[str, Any]]
    # The newest ten thousand sessions, including ended ones.
    sessions: list[dict[str, Any]]


class ExportMyDataResponseCredentials(TypedDict):
    # Second factors.
    factors: list[dict[str, Any]]
    # Passkeys, without their keys.
    passkeys: list[dict[str, Any]]
    # Null without a password.
    passwordChangedAt: str | None
    recoveryCodesLeft: int
    # Devices that skip the second factor.
    rememberedDevices: list[dict[str, Any]]


class ChangeMyPhoneNumberRequest(TypedDict):
    phone: str


class ConfirmMyNewPhoneNumberRequest(TypedDict):
    code: str
    flowId: str


class ReadMySecuritySettingsResponse(TypedDict):
    hasPassword: bool
    mfa: ReadMySecuritySettingsResponseMfa
    passkeys: list[Passkey]
    passwordChangedAt: str | None
    recoveryCodesLeft: int
    rememberedDevices: list[ReadMySecuritySettingsResponseRememberedDevicesItem]
    # The newest hundred.
    sessions: list[OwnSession]


class ReadMySecuritySettingsResponseMfa(TypedDict):
    enabled: bool
    factors: list[ReadMySecuritySettingsResponseMfaFactorsItem]


class ReadMySecuritySettingsResponseMfaFactorsItem(TypedDict):
    createdAt: str
    hint: str | None
    id: str
    lastUsedAt: str | None
    # A phone is weaker than an app or a passkey.
    restricted: bool
    type: Literal["totp", "phone"]


class ReadMySecuritySettingsResponseRememberedDevicesItem(TypedDict):
    createdAt: str
    expiresAt: str
    id: str
    ip: str | None
    lastUsedAt: str
    userAgent: str | None


class ListApplicationsIAmSignedInToItem(TypedDict):
    clientId: str
    # False for an application of a third party, which the person allowed.
    firstParty: bool
    name: str
    sessionIds: list[str]


class ReadApplicationIAmSignedInToResponse(TypedDict):
    clientId: str
    # False for an application of a third party, which the person allowed.
    firstParty: bool
    name: str
    sessionIds: list[str]


class SetUpPhoneAsSecondFactorRequest(TypedDict):
    phone: str


class ConfirmPhoneAsSecondFactorRequest(TypedDict):
    code: str
    flowId: str


class ConfirmPhoneAsSecondFactorResponse(TypedDict):
    # Shown once.
    recoveryCodes: NotRequired[list[str]]


class SetUpAuthenticatorAppResponse(TypedDict):
    id: str
    qrSvg: str
    secret: str
    uri: str


class ConfirmAuthenticatorAppRequest(TypedDict):
    code: str
    id: str


class ConfirmAuthenticatorAppResponse(TypedDict):
    # Shown once.
    recoveryCodes: NotRequired[list[str]]


class AddPasskeyRequest(TypedDict):
    flowId: str
    name: NotRequired[str]
    response: PasskeyRegistration
    # True if it is also a second factor after a password.
    secondFactor: NotRequired[bool]


class AddPasskeyResponse(TypedDict):
    createdAt: str
    id: str
    lastUsedAt: str | None
    name: str
    # Shown once.
    recoveryCodes: NotRequired[list[str]]
    secondFactor: bool
    # Synced by a passkey provider to several devices.
    synced: bool


class StartAddingPasskeyResponse(TypedDict):
    expiresIn: int
    flowId: str
    options: dict[str, Any]


class ChangePasskeyRequest(TypedDict):
    name: NotRequired[str]
    # True if it is also a second factor after a password.
    secondFactor: NotRequired[bool]


class ChangePasskeyResponse(TypedDict):
    createdAt: str
    id: str
    lastUsedAt: str | None
    name: str
    # Shown once.
    recoveryCodes: NotRequired[list[str]]
    secondFactor: bool
    # Synced by a passkey provider to several devices.
    synced: bool


class ChangeMyPasswordRequest(TypedDict):
    currentPassword: NotRequired[str]
    newPassword: str


class CreateNewRecoveryCodesResponse(TypedDict):
    # Shown once.
    recoveryCodes: list[str]
