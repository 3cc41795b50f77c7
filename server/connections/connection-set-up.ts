import {
  createConnection,
  deleteConnection,
  grantsOfConnection,
  prepareChanges,
  prepareNew,
  updateConnection,
} from './connection-changes.ts';
import { ConnectionChanges, listConnections, NewConnection, serviceAddresses } from './connections.ts';
import { clientAuthentication } from './oidc.ts';

/** What set-up links read and change in organizations, by the rules of the API. */
export const connectionSetUp = {
  New: NewConnection,
  Changes: ConnectionChanges,
  ClientAuthentication: clientAuthentication,
  list: listConnections,
  serviceAddresses,
  grants: grantsOfConnection,
  prepareNew,
  create: createConnection,
  prepareChanges,
  update: updateConnection,
  delete: deleteConnection,
};
