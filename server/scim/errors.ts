import { Problem } from '#platform/problem.ts';
import type { Attributes } from './resource.ts';
import { ScimError } from './scim-error.ts';

/** A refusal with its response in the format of RFC 7644 §3.12. */
export type Refusal = { status: number; message: string; body: Attributes };

/** @returns undefined for an error that is not the client's, which is a problem document like everywhere */
export function errorOf(error: unknown): Refusal | undefined {
  if (error instanceof ScimError) return refusal(error.status, error.message, error.scimType);
  if (!(error instanceof Problem) || error.status >= 500) return undefined;
  return refusal(error.status, messageOf(error), scimTypeOf(error));
}

function refusal(status: number, message: string, scimType?: string): Refusal {
  const body = {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: String(status),
    ...(scimType !== undefined && { scimType }),
    detail: message,
  };
  return { status, message, body };
}

function messageOf({ message, extensions }: Problem): string {
  const errors: unknown = extensions['errors'];
  const [first] = Array.isArray(errors) ? errors : [];
  return typeof first?.message === 'string' ? `${message} (${first.message})` : message;
}

function scimTypeOf({ code }: Problem): string | undefined {
  if (code === 'ALREADY_EXISTS') return 'uniqueness';
  return code === 'VALIDATION_FAILED' ? 'invalidValue' : undefined;
}
