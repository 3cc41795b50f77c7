import { type Static, type TSchema, Type } from 'typebox';
import type { TxCtx } from '#platform/ctx.ts';
import type { EventDefinition } from '#platform/event.ts';
import { problem } from '#platform/problem.ts';
import { Instant } from '#platform/schemas.ts';
import { perSystem, type SystemInTx } from '#platform/system.ts';
import { catalogueOf } from './catalogue.ts';

/**
 * Who caused an event: a customer, a back end, an operator at the console, a person with a set-up link, an anonymous
 * request, or the system itself.
 */
const ActorSchema = Type.Object(
  { kind: Type.Enum(['anonymous', 'customer', 'management', 'operator', 'setup_link', 'system']) },
  { description: 'The actor; the other fields depend on `kind`.', additionalProperties: true },
);

/**
 * The schema of an event as receivers and feed readers get it.
 * @param data the schema of this type's data
 */
function envelopeOf(type: TSchema, data: TSchema) {
  return Type.Object({
    id: Type.String({ description: 'The same in every delivery, so that receivers can detect duplicates.' }),
    type,
    occurredAt: Instant,
    timestamp: Type.String({
      format: 'date-time',
      description: 'The time of `occurredAt`, under the name that Standard Webhooks uses.',
    }),
    sequence: Type.Union([Type.Integer(), Type.Null()], {
      description:
        'The position in the log of the project environment, without gaps. Null for a test event, which is not in the log.',
    }),
    workspaceId: Type.String(),
    projectId: Type.String(),
    environment: Type.Enum(['test', 'production']),
    actor: ActorSchema,
    correlationId: Type.String({ description: 'The X-Correlation-Id of the request that caused the event.' }),
    example: Type.Optional(
      Type.Literal(true, { description: 'True for an example event, which only tests a receiver.' }),
    ),
    data,
  });
}

export const Event = envelopeOf(Type.String(), Type.Object({}, { additionalProperties: true }));
export type Event = Omit<Static<typeof Event>, 'type' | 'data' | 'actor'> & {
  type: string;
  data: Record<string, unknown>;
  actor: Record<string, unknown> & Static<typeof ActorSchema>;
};

const AnyObject = Type.Object({}, { additionalProperties: true });

export const EventTypeDescription = Type.Object(
  {
    type: Type.String(),
    description: Type.String(),
    version: Type.Integer({ description: 'Increases when the meaning of a field changes, not when fields are added.' }),
    schema: Type.Object({}, { additionalProperties: true, description: 'JSON Schema (2020-12) of the whole event.' }),
    example: AnyObject,
  },
  { title: 'EventType' },
);
type EventTypeDescription = Omit<Static<typeof EventTypeDescription>, 'schema'> & {
  schema: ReturnType<typeof envelopeOf>;
};

const EXAMPLE_SCOPE = {
  workspaceId: 'wrk_01kaz3w9hqf8p9n2m4v5x6y7z8',
  projectId: 'prj_01kaz3w9hqf8p9n2m4v5x6y7z8',
  environment: 'test',
} as const;

/** An event with the catalogue's example data. */
function exampleOf(type: string, { example }: EventDefinition): Event {
  const at = '2026-01-01T12:00:00.000Z';
  return {
    id: 'evt_01kaz3w9hqf8p9n2m4v5x6y7z8',
    type,
    occurredAt: at,
    timestamp: at,
    sequence: 1042,
    ...EXAMPLE_SCOPE,
    actor: { kind: 'anonymous' },
    correlationId: '0af7651916cd43dd8448eb211c80319c',
    data: example,
  };
}

/** All event types, by name. */
export const eventTypeDescriptions = perSystem((system): readonly EventTypeDescription[] =>
  [...catalogueOf(system)].map(([type, definition]) => ({
    type,
    description: definition.description,
    version: definition.version,
    schema: envelopeOf(Type.Literal(type), definition.data),
    example: exampleOf(type, definition),
  })),
);

/** @throws Problem NOT_FOUND */
export function describeEventType(system: SystemInTx, type: string): EventTypeDescription {
  const found = eventTypeDescriptions(system).find((known) => known.type === type);
  if (!found) throw problem('NOT_FOUND', `There is no event type "${type}".`);
  return found;
}

/** A pattern: an event type, a group such as `user.*`, or `*` for all. {@link requireKnownPatterns} checks it. */
export const EventPattern = Type.String({ maxLength: 100, examples: ['user.*'] });

/** True if one of the patterns selects this event type. */
export function isSelected(patterns: readonly string[], type: string): boolean {
  return patterns.some(
    (pattern) =>
      pattern === type || pattern === '*' || (pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1))),
  );
}

/**
 * @param pointer the JSON pointer of the patterns in the request
 * @throws Problem VALIDATION_FAILED for a pattern that selects no event type
 */
export function requireKnownPatterns(
  { system }: Pick<TxCtx, 'system'>,
  patterns: readonly string[],
  pointer: string,
): void {
  const eventTypes = [...catalogueOf(system).keys()];
  const errors = patterns.flatMap((pattern, index) =>
    eventTypes.some((type) => isSelected([pattern], type))
      ? []
      : [{ pointer: `${pointer}/${index}`, message: `matches no event type: "${pattern}"` }],
  );
  if (errors.length > 0) throw problem('VALIDATION_FAILED', { extensions: { errors } });
}

/** The event types that the patterns select. */
export function selectedTypes({ system }: Pick<TxCtx, 'system'>, patterns: readonly string[]): string[] {
  return [...catalogueOf(system).keys()].filter((type) => isSelected(patterns, type));
}

/** @throws Problem VALIDATION_FAILED for an unknown type */
export function requireExample({ system }: Pick<TxCtx, 'system'>, type: string): Event {
  const known = catalogueOf(system).get(type);
  if (!known)
    throw problem('VALIDATION_FAILED', {
      extensions: {
        errors: [{ pointer: '/body/type', message: `is not an event type; see /v1/admin/webhooks/event-types` }],
      },
    });
  return exampleOf(type, known);
}
