import { Type } from 'typebox';
import { define, type EventData, text } from '#platform/event.ts';

const Stream = Type.Object({ logStreamId: text, kind: text, url: text });
const stream = {
  logStreamId: 'lgs_01kaz3w9hqf8p9n2m4v5x6y7z8',
  kind: 'splunk',
  url: 'https://splunk.example.com:8088/services/collector/event',
};

export const events = {
  'log_stream.created': define('A log stream was added.', Stream, stream),
  'log_stream.updated': define(
    'A log stream was changed.',
    Type.Object({ ...Stream.properties, changed: Type.Array(text) }),
    { ...stream, changed: ['url', 'secret'] },
  ),
  'log_stream.deleted': define('A log stream was removed; nothing more is sent.', Stream, stream),
  'log_stream.paused': define('A log stream was paused.', Stream, stream),
  'log_stream.resumed': define(
    'A log stream was resumed. It continues after the entry with the sequence `after`.',
    Type.Object({ ...Stream.properties, after: Type.Integer() }),
    { ...stream, after: 4_711 },
  ),
  'log_stream.tested': define(
    'An example entry was sent to the destination of a log stream.',
    Type.Object({ ...Stream.properties, ok: Type.Boolean() }),
    { ...stream, ok: true },
  ),
  'log_stream.failing': define(
    'The destination of a log stream has accepted nothing for 15 minutes. Entries wait until it does.',
    Type.Object({ ...Stream.properties, since: text, error: text }),
    { ...stream, since: '2026-01-02T00:00:00.000Z', error: 'connection refused' },
  ),
  'log_stream.recovered': define(
    'The destination of a log stream that failed accepts entries again.',
    Type.Object({ ...Stream.properties, failedSince: text }),
    { ...stream, failedSince: '2026-01-02T00:00:00.000Z' },
  ),
};

declare module '#platform/event.ts' {
  interface Events extends EventData<typeof events> {}
}
