import { Type } from 'typebox';
import { define, type EventData, text } from '#platform/event.ts';

const Api = Type.Object({ apiId: text, identifier: text });
const api = { apiId: 'api_01kaz3w9hqf8p9n2m4v5x6y7z8', identifier: 'https://api.example.com/orders' };

export const events = {
  'api.created': define('An API was added.', Api, api),
  'api.updated': define('An API was changed.', Type.Object({ ...Api.properties, fields: Type.Array(text) }), {
    ...api,
    fields: ['scopes'],
  }),
  'api.deleted': define('An API was removed; no further tokens are issued for it.', Api, api),
};

declare module '#platform/event.ts' {
  interface Events extends EventData<typeof events> {}
}
