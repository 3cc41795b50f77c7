import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

/** A request as a receiver got it. */
type Received = { path: string; headers: Record<string, string>; body: string; at: number };

/** What a receiver does with a request: answers, or misbehaves. */
export type Behaviour = (response: ServerResponse, received: Received, request: IncomingMessage) => void;

/** Answers with a status. */
export const answers =
  (status: number, headers: Record<string, string> = {}, body = ''): Behaviour =>
  (response) => {
    response.writeHead(status, headers).end(body);
  };

/** Takes the request and never answers. */
export const hangs: Behaviour = () => undefined;

/** Ends the connection without an answer. */
export const resets: Behaviour = (_response, _received, request) => {
  request.socket.resetAndDestroy();
};

/** Answers 200 and then sends its body a byte at a time, for ever. */
export const drips: Behaviour = (response) => {
  response.writeHead(200, { 'content-type': 'text/plain' });
  const dripping = setInterval(() => response.write('.'), 50);
  response.on('close', () => clearInterval(dripping));
};

/** Sends its head a byte at a time, for ever. */
export const dripsHead: Behaviour = (response, _received, request) => {
  request.socket.write('HTTP/1.1 200 OK\r\nx-slow: ');
  const dripping = setInterval(() => request.socket.write('.'), 50);
  request.socket.on('close', () => clearInterval(dripping));
  response.on('error', () => undefined);
};

/** Answers 200 with 50 megabytes, if anybody reads them. */
export const floods: Behaviour = (response) => {
  response.writeHead(200);
  const chunk = Buffer.alloc(1_000_000, 'x');
  let left = 50;
  const pour = () => {
    while (left > 0) {
      left -= 1;
      if (!response.write(chunk)) return response.once('drain', pour);
    }
    return response.end();
  };
  pour();
};

export type Receiver = {
  origin: string;
  received: Received[];
  /** What was received under a path, in the order of arrival. */
  at: (path: string) => Received[];
  /** Says what happens to requests of a path from now on; 200 where nothing is said. */
  on: (path: string, behaviour: Behaviour) => void;
  /** Connections that were opened so far. */
  connections: () => number;
  stop: () => Promise<void>;
};

/** Starts a real HTTP server that keeps what it receives. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const behaviours = new Map<string, Behaviour>();
  let connections = 0;
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
      const one = {
        path: request.url ?? '',
        headers,
        body: Buffer.concat(chunks).toString('utf8'),
        at: performance.now(),
      };
      received.push(one);
      (behaviours.get(one.path) ?? answers(200))(response, one, request);
    });
    request.on('error', () => undefined);
  });
  server.on('connection', (socket) => {
    connections += 1;
    socket.on('error', () => undefined);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The receiver listens on no port.');
  return {
    origin: `http://127.0.0.1:${address.port}`,
    received,
    at: (path) => received.filter((one) => one.path === path),
    on: (path, behaviour) => behaviours.set(path, behaviour),
    connections: () => connections,
    stop: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
