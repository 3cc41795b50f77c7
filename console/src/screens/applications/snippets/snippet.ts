import type { Kind } from '../kinds.ts';

/** The values of an application that its sample code needs. */
export type Facts = {
  issuer: string;
  apiUrl: string;
  clientId: string;
  clientSecret: string;
  workspaceId: string;
  projectId: string;
  environment: string;
  /** Where the application runs, without a slash at the end. */
  origin: string;
  /** The redirect address of a phone app. */
  appRedirect: string;
  /** The identifier of the API that tokens are for. */
  audience: string;
  /** A new random text. */
  random: string;
};

type File = readonly [name: string, code: string];

/** How an application in one framework signs people in, or calls and protects APIs. */
export type Snippet = {
  key: string;
  name: string;
  kinds: readonly Kind[];
  /**
   * Addresses of a web application: where it runs while it is developed, the path that people return to, and the one that is told
   * of the end of sessions.
   */
  returnsTo?: { home: string; path: string; backchannelLogout?: string };
  /** The redirect address of a phone app, unless the application has another one. */
  appRedirect?: string;
  /** The code is of an API, so the application must have access to one. */
  needsApi?: true;
  install: string;
  env?: (facts: Facts) => string;
  files: (facts: Facts) => readonly File[];
  run?: string;
};

/** Puts the values in place of `%clientId%` and the like, as create-latchkey-app does. */
export function filled(template: string, facts: Record<string, string>): string {
  return template.replaceAll(/%(\w+)%/g, (all, key: string) => facts[key] ?? all).trimEnd();
}
