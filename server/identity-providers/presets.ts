import { type Static, Type } from 'typebox';

const address = Type.String({ format: 'uri', maxLength: 2_048, pattern: '^https?://' });

/** The options that a provider needs besides its preset. */
export const ProviderOptions = Type.Object(
  {
    issuer: Type.Optional(address),
    tenant: Type.Optional(
      Type.String({ maxLength: 100, pattern: '^[A-Za-z0-9.-]+$', description: 'Microsoft: the directory.' }),
    ),
    teamId: Type.Optional(Type.String({ maxLength: 20, pattern: '^[A-Z0-9]+$', description: 'Apple.' })),
    keyId: Type.Optional(
      Type.String({ maxLength: 20, pattern: '^[A-Z0-9]+$', description: 'Apple: the id of the private key.' }),
    ),
    scopes: Type.Optional(
      Type.Array(Type.String({ maxLength: 200, pattern: '^[\\x21\\x23-\\x5b\\x5d-\\x7e]+$' }), { maxItems: 30 }),
    ),
    authorizationEndpoint: Type.Optional(address),
    tokenEndpoint: Type.Optional(address),
    userinfoEndpoint: Type.Optional(address),
    emailsEndpoint: Type.Optional(address),
    trustEmail: Type.Optional(
      Type.Boolean({ description: 'Whether `email_verified` of this provider is trusted; true when absent.' }),
    ),
  },
  {
    title: 'IdentityProviderOptions',
    additionalProperties: false,
  },
);
export type ProviderOptions = Static<typeof ProviderOptions>;

/** The names of the profile fields of an OAuth-only provider. */
type ClaimMapping = { subject: string; email: string; name: string; picture: string };

/** The protocol of a provider: OpenID Connect by discovery, or plain OAuth with a profile address. */
export type Preset =
  | {
      protocol: 'oidc';
      name: string;
      issuer: string | null;
      scopes: readonly string[];
      formPost?: boolean;
      appleSecret?: boolean;
      /** The protections it does not support; absent: it supports both. */
      without?: readonly ('nonce' | 'pkce')[];
    }
  | {
      protocol: 'oauth2';
      name: string;
      /** Identifies its accounts, and is the `iss` of its responses if it sends one (RFC 9207). */
      issuer: string;
      scopes: readonly string[];
      authorizationEndpoint: string;
      tokenEndpoint: string;
      userinfoEndpoint: string;
      /** Where verified addresses are listed separately (GitHub). */
      emailsEndpoint?: string;
      claims: ClaimMapping;
      /** The field that says the address is verified; absent: unknown. */
      emailVerified?: string;
    };

const oidcScopes = ['openid', 'email', 'profile'] as const;

/** The providers with built-in settings. */
export const presets = {
  oidc: { protocol: 'oidc', name: 'OpenID Connect', issuer: null, scopes: oidcScopes },
  google: { protocol: 'oidc', name: 'Google', issuer: 'https://accounts.google.com', scopes: oidcScopes },
  apple: {
    protocol: 'oidc',
    name: 'Apple',
    issuer: 'https://appleid.apple.com',
    scopes: ['openid', 'email', 'name'],
    formPost: true,
    appleSecret: true,
  },
  microsoft: {
    protocol: 'oidc',
    name: 'Microsoft',
    issuer: 'https://login.microsoftonline.com/{tenant}/v2.0',
    scopes: oidcScopes,
  },
  gitlab: { protocol: 'oidc', name: 'GitLab', issuer: 'https://gitlab.com', scopes: oidcScopes },
  linkedin: {
    protocol: 'oidc',
    name: 'LinkedIn',
    issuer: 'https://www.linkedin.com/oauth',
    scopes: oidcScopes,
    // Its ID tokens have no nonce, and it rejects a PKCE verifier from a client with a secret as `invalid_client`.
    without: ['nonce', 'pkce'],
  },
  github: {
    protocol: 'oauth2',
    name: 'GitHub',
    issuer: 'https://github.com/login/oauth',
    scopes: ['read:user', 'user:email'],
    authorizationEndpoint: 'https://github.com/login/oauth/authorize',
    tokenEndpoint: 'https://github.com/login/oauth/access_token',
    userinfoEndpoint: 'https://api.github.com/user',
    emailsEndpoint: 'https://api.github.com/user/emails',
    claims: { subject: 'id', email: 'email', name: 'name', picture: 'avatar_url' },
  },
  facebook: {
    protocol: 'oauth2',
    name: 'Facebook',
    issuer: 'https://www.facebook.com',
    scopes: ['email', 'public_profile'],
    authorizationEndpoint: 'https://www.facebook.com/v23.0/dialog/oauth',
    tokenEndpoint: 'https://graph.facebook.com/v23.0/oauth/access_token',
    userinfoEndpoint: 'https://graph.facebook.com/v23.0/me?fields=id,name,email',
    claims: { subject: 'id', email: 'email', name: 'name', picture: 'picture' },
  },
  discord: {
    protocol: 'oauth2',
    name: 'Discord',
    issuer: 'https://discord.com',
    scopes: ['identify', 'email'],
    authorizationEndpoint: 'https://discord.com/oauth2/authorize',
    tokenEndpoint: 'https://discord.com/api/oauth2/token',
    userinfoEndpoint: 'https://discord.com/api/users/@me',
    claims: { subject: 'id', email: 'email', name: 'global_name', picture: 'avatar' },
    emailVerified: 'verified',
  },
} as const satisfies Record<string, Preset>;

export type PresetName = keyof typeof presets;
export const presetNames = Object.keys(presets).filter((name): name is PresetName => name in presets);
