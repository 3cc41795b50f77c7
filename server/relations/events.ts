import { Type } from 'typebox';
import { define, type EventData, text } from '#platform/event.ts';

const ResourceType = Type.Object({ key: text });
const Relations = Type.Optional(
  Type.Array(Type.Object({ resource: text, relation: text, subject: text }), {
    description: 'Left out when one request changes more than a hundred.',
  }),
);

export const events = {
  'resource_type.created': define('A resource type was added.', ResourceType, { key: 'document' }),
  'resource_type.updated': define(
    'A resource type was changed.',
    Type.Object({ key: text, fields: Type.Array(text) }),
    { key: 'document', fields: ['relations'] },
  ),
  'resource_type.deleted': define('A resource type was removed with its relations.', ResourceType, { key: 'document' }),
  'resource_relations.changed': define(
    'Relations to resources were written or deleted by one request. Those that end with a person, organization, group or role, or expire, are not reported.',
    Type.Object({
      written: Type.Integer(),
      deleted: Type.Integer(),
      relationsWritten: Relations,
      relationsDeleted: Relations,
    }),
    {
      written: 1,
      deleted: 0,
      relationsWritten: [
        { resource: 'document:7', relation: 'editor', subject: 'user:usr_01kaz3w9hqf8p9n2m4v5x6y7z8' },
      ],
      relationsDeleted: [],
    },
  ),
};

declare module '#platform/event.ts' {
  interface Events extends EventData<typeof events> {}
}
