import type { AdapterPayload, Client, Provider } from 'oidc-provider';
import { type Application, checkSecret, findApplication } from '#applications';
import type { Environment } from '#platform/ctx.ts';
import type { System } from '#platform/system.ts';

const applications = new WeakMap<Client, Application>();

/** The application a client of the provider stands for. */
export function applicationOf(client: Client | undefined): Application {
  const application = client && applications.get(client);
  if (!application) throw new Error('unreachable: the provider made a client that is not an application');
  return application;
}

/**
 * Makes the provider's clients the applications of an environment. A client is made once for each state of its application,
 * which also says whether a secret is right: the provider never holds one.
 */
export function useApplications(provider: Provider, system: System, environment: Environment): void {
  const { Client } = provider;
  const findClient = Client.find.bind(Client);
  const clients = new WeakMap<Application, Client>();
  Client.find = async (clientId: string) => {
    const application = await findApplication(system, environment, clientId);
    if (!application) return undefined;
    const known = clients.get(application);
    if (known) return known;
    const client = await findClient(clientId);
    if (!client) return undefined;
    clients.set(application, client);
    applications.set(client, application);
    return client;
  };
  Client.prototype.compareClientSecret = function compare(this: Client, presented: string) {
    return checkSecret(applicationOf(this), presented);
  };
}

/**
 * An application as the provider knows clients. Only management clients can use it so far; sign-in through the browser needs
 * the hosted pages.
 */
export function clientMetadata(application: Application): AdapterPayload | undefined {
  const [hash] = application.secretHashes;
  if (application.kind !== 'management' || !application.enabled || !hash) return undefined;
  return {
    client_id: application.clientId,
    client_name: application.name,
    // Compared by checkSecret; stands here so that the library notices a rotation.
    client_secret: hash.toString('base64url'),
    grant_types: ['client_credentials'],
    response_types: [],
    redirect_uris: [],
    // The library takes client_secret_post for such a client too.
    token_endpoint_auth_method: 'client_secret_basic',
  };
}
