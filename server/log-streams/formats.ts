import { actorId, type LogEntry } from './log-entries.ts';

/** How entries are written for a destination that is called over HTTP. */
export type Format = {
  contentType: string;
  /** The headers that carry the secret. */
  credentials: (secret: string, header: string) => Record<string, string>;
  /** One entry as a piece of the body. */
  piece: (entry: LogEntry) => string;
  body: (pieces: readonly string[]) => string;
};

const inHeader = (secret: string, header: string) => ({ [header]: secret });

/** Splunk HTTP Event Collector: JSON objects one after the other, each an event with its time in seconds. */
export const splunk: Format = {
  contentType: 'application/json',
  credentials: (secret) => ({ authorization: `Splunk ${secret}` }),
  piece: (entry) =>
    JSON.stringify({
      time: Date.parse(entry.occurredAt) / 1000,
      source: 'latchkey',
      sourcetype: 'latchkey:audit',
      event: entry,
    }),
  body: (pieces) => pieces.join('\n'),
};

/** Datadog log intake v2: an array of logs with reserved and standard attributes. */
export const datadog: Format = {
  contentType: 'application/json',
  credentials: (secret) => ({ 'dd-api-key': secret }),
  piece: (entry) =>
    JSON.stringify({
      ddsource: 'latchkey',
      service: 'latchkey',
      ddtags: `env:${entry.environment},project:${entry.projectId}`,
      status: 'info',
      timestamp: entry.occurredAt,
      message: entry.action,
      evt: { name: entry.action, id: entry.id },
      usr: { id: actorId(entry) },
      latchkey: entry,
    }),
  body: (pieces) => `[${pieces.join(',')}]`,
};

/**
 * Elasticsearch bulk API, with the fields of the Elastic Common Schema. An entry that is sent twice makes one document,
 * because it has an id.
 */
export const elastic: Format = {
  contentType: 'application/x-ndjson',
  credentials: (secret) => ({ authorization: `ApiKey ${secret}` }),
  piece: (entry) => {
    const document = {
      '@timestamp': entry.occurredAt,
      ecs: { version: '8.11.0' },
      event: { id: entry.id, kind: 'event', action: entry.action, dataset: 'latchkey.audit', sequence: entry.sequence },
      message: entry.action,
      service: { name: 'latchkey', environment: entry.environment },
      user: { id: actorId(entry) },
      latchkey: entry,
    };
    return `${JSON.stringify({ create: { _id: entry.id } })}\n${JSON.stringify(document)}\n`;
  },
  body: (pieces) => pieces.join(''),
};

/** One JSON object per line. */
export const jsonLines: Format = {
  contentType: 'application/x-ndjson',
  credentials: inHeader,
  piece: (entry) => `${JSON.stringify(entry)}\n`,
  body: (pieces) => pieces.join(''),
};

type AnyValue = Record<string, unknown>;

/** A JSON value as an OpenTelemetry AnyValue; an empty one stands for null. */
function anyValue(value: unknown): AnyValue {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  // ProtoJSON writes 64-bit integers as text.
  if (typeof value === 'number')
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  if (Array.isArray(value)) return { arrayValue: { values: value.map(anyValue) } };
  return value instanceof Object ? { kvlistValue: { values: keyValues(value) } } : {};
}

function keyValues(record: object) {
  return Object.entries(record).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: anyValue(value) }],
  );
}

/** Severity number of INFO (OpenTelemetry Logs Data Model). */
const INFO = 9;

/** OTLP/HTTP logs in JSON. */
export const otlp: Format = {
  contentType: 'application/json',
  credentials: inHeader,
  piece: (entry) =>
    JSON.stringify({
      timeUnixNano: `${Date.parse(entry.occurredAt)}000000`,
      observedTimeUnixNano: `${Date.parse(entry.occurredAt)}000000`,
      severityNumber: INFO,
      severityText: 'INFO',
      eventName: entry.action,
      body: anyValue(entry),
      attributes: keyValues({
        'event.id': entry.id,
        'latchkey.sequence': entry.sequence,
        'latchkey.workspace.id': entry.workspaceId,
        'latchkey.project.id': entry.projectId,
        'user.id': actorId(entry),
        'deployment.environment.name': entry.environment,
      }),
    }),
  body: (pieces) =>
    `{"resourceLogs":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"latchkey"}}]},"scopeLogs":[{"scope":{"name":"latchkey.audit"},"logRecords":[${pieces.join(',')}]}]}]}`,
};
