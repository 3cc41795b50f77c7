import { MAX_BULK_OPERATIONS } from './bulk.ts';
import type { Attributes } from './resource.ts';
import { resourceTypes, type Schema, schemas } from './schemas.ts';

const CORE = 'urn:ietf:params:scim:schemas:core:2.0';
const MAX_RESULTS = 200;
/** The limit of every request body. */
const MAX_PAYLOAD_BYTES = 1_048_576;

/** What this server supports (RFC 7643 §5). */
export function serviceProviderConfig(address: string): Attributes {
  return {
    schemas: [`${CORE}:ServiceProviderConfig`],
    patch: { supported: true },
    bulk: { supported: true, maxOperations: MAX_BULK_OPERATIONS, maxPayloadSize: MAX_PAYLOAD_BYTES },
    filter: { supported: true, maxResults: MAX_RESULTS },
    changePassword: { supported: false },
    sort: { supported: true },
    etag: { supported: true },
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'SCIM token',
        description: 'The token of the organization’s directory, as a bearer token (RFC 6750).',
        specUri: 'https://www.rfc-editor.org/info/rfc6750',
        primary: true,
      },
    ],
    meta: { resourceType: 'ServiceProviderConfig', location: `${address}/ServiceProviderConfig` },
  };
}

/** The types of resources (RFC 7643 §6). */
export function describedTypes(address: string): Attributes[] {
  return Object.values(resourceTypes).map(({ kind, endpoint, schema, extension }) => ({
    schemas: [`${CORE}:ResourceType`],
    id: kind,
    name: kind,
    description: schema.description,
    endpoint,
    schema: schema.id,
    schemaExtensions: extension ? [{ schema: extension.id, required: false }] : [],
    meta: { resourceType: 'ResourceType', location: `${address}/ResourceTypes/${kind}` },
  }));
}

/** The schemas (RFC 7643 §7). */
export function describedSchemas(address: string): Attributes[] {
  return schemas.map(({ id, name, description, attributes }: Schema) => ({
    schemas: [`${CORE}:Schema`],
    id,
    name,
    description,
    attributes,
    meta: { resourceType: 'Schema', location: `${address}/Schemas/${id}` },
  }));
}
