import type { AdapterPayload } from 'oidc-provider';

type Application = { clientId: string; kind: string; name: string; redirectUris: string[]; secretHashes: Buffer[] };

/**
 * An application as the provider knows clients. Only management clients can use it so far; sign-in through the browser needs
 * the hosted pages.
 */
export function clientMetadata(application: Application): AdapterPayload | undefined {
  const [hash] = application.secretHashes;
  if (application.kind !== 'management' || !hash) return undefined;
  return {
    client_id: application.clientId,
    client_name: application.name,
    // Compared by checkSecret; stands here so that the library notices a rotation.
    client_secret: hash.toString('base64url'),
    grant_types: ['client_credentials'],
    response_types: [],
    redirect_uris: [],
    token_endpoint_auth_method: 'client_secret_basic',
  };
}
