import { Readable } from 'node:stream';
import type { Reply, Request } from './http.ts';

/** Sends a file of any length while it is read. A HEAD request gets the headers alone, and nothing is read. */
export function sendFile(
  { request, reply }: { request: Pick<Request, 'method'>; reply: Reply },
  chunks: AsyncIterable<string>,
): Reply {
  return reply.send(Readable.from(request.method === 'HEAD' ? [] : chunks, { highWaterMark: 1 }));
}
