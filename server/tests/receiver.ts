import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

/** A request as a receiver got it. */
type Received = { path: string; headers: Record<string, string>; body: string; at: number };

/** How a receiver handles a request: it responds, or misbehaves. */
export type Behaviour = (response: ServerResponse, received: Received, request: IncomingMessage) => void;

/** Responds with a status. */
export const respondWith =
  (status: number, headers: Record<string, string> = {}, body = ''): Behaviour =>
  (response) => {
    response.writeHead(status, headers).end(body);
  };

/** Accepts the request and never responds. */
export const hangs: Behaviour = () => undefined;

/** Closes the connection without a response. */
export const resets: Behaviour = (_response, _received, request) => {
  request.socket.resetAndDestroy();
};

/** Responds 200 and sends its body one byte at a time, forever. */
export const drips: Behaviour = (response) => {
  response.writeHead(200, { 'content-type': 'text/plain' });
  const dripping = setInterval(() => response.write('.'), 50);
  response.on('close', () => clearInterval(dripping));
};

/** Sends its headers one byte at a time, forever. */
export const dripsHead: Behaviour = (response, _received, request) => {
  request.socket.write('HTTP/1.1 200 OK\r\nx-slow: ');
  const dripping = setInterval(() => request.socket.write('.'), 50);
  request.socket.on('close', () => clearInterval(dripping));
  response.on('error', () => undefined);
};

/** Responds 200 with a body of 50 megabytes. */
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
  /** The requests to a path, in order of arrival. */
  at: (path: string) => Received[];
  /** Sets the behaviour for a path; the default responds 200. */
  on: (path: string, behaviour: Behaviour) => void;
  /** How many connections were opened so far. */
  connections: () => number;
  stop: () => Promise<void>;
};

/** Starts a real HTTP server that records what it receives. */
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
      (behaviours.get(one.path) ?? respondWith(200))(response, one, request);
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
