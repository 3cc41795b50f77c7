import { Type } from 'typebox';
import { define, type EventData, text } from '#platform/event.ts';

const Connection = Type.Object({ organizationId: text, connectionId: text, kind: text, name: text });
const connection = {
  organizationId: 'org_01kaz3w9hqf8p9n2m4v5x6y7z8',
  connectionId: 'con_01kaz3w9hqf8p9n2m4v5x6y7z8',
  kind: 'oidc',
  name: 'Acme Entra ID',
};

export const events = {
  'organization.connection.created': define('A connection was added to an organization.', Connection, connection),
  'organization.connection.updated': define(
    'A connection of an organization changed. `fields` are the changed ones.',
    Type.Object({ ...Connection.properties, fields: Type.Array(text) }),
    { ...connection, fields: ['name'] },
  ),
  'organization.connection.tested': define(
    'Latchkey checked that the identity provider of a connection responds as configured, or a test sign-in came back. `ok`: a sign-in would be accepted.',
    Type.Object({ ...Connection.properties, ok: Type.Boolean() }),
    { ...connection, ok: true },
  ),
  'organization.connection.test_started': define(
    'Somebody started a test sign-in of a connection of an organization.',
    Connection,
    connection,
  ),
  'organization.connection.deleted': define(
    'A connection of an organization was removed; the sessions that began through it ended.',
    Connection,
    connection,
  ),
};

declare module '#platform/event.ts' {
  interface Events extends EventData<typeof events> {}
}
