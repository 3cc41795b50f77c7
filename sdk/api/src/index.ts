import { type ClientOptions, createClient } from './client.ts';
import { type paths as ApiPaths, keyedPaths as keyedApiPaths } from './generated/api.ts';
import { type paths as AuthPaths, keyedPaths as keyedAuthPaths } from './generated/auth.ts';
import { keyedPaths as keyedStatusPaths, type paths as StatusPaths } from './generated/status.ts';
import type { Client } from './types.ts';

export type { ClientOptions } from './client.ts';
export { type ErrorCode, type ProblemDetails, ProblemError } from './problem.ts';
export type { CommonOptions, Result, Unchanged } from './types.ts';

export type ApiClient = Client<ApiPaths>;
export type AuthClient = Client<AuthPaths>;
export type StatusClient = Client<StatusPaths>;

/** A client of the API host. */
export function createApiClient(options: ClientOptions): ApiClient {
  return createClient<ApiPaths>(options, keyedApiPaths);
}

/** A client of the auth host. */
export function createAuthClient(options: ClientOptions): AuthClient {
  return createClient<AuthPaths>(options, keyedAuthPaths);
}

/** A client of the host that shows status pages. It needs no token. */
export function createStatusClient(options: ClientOptions): StatusClient {
  return createClient<StatusPaths>(options, keyedStatusPaths);
}
