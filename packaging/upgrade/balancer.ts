import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';

/** A process behind the balancer, by the ports of its test environment. */
export type Target = { name: string; auth: number; api: number };

export type Balancer = {
  authUrl: string;
  apiUrl: string;
  /** How many responses each process has sent. */
  answered: ReadonlyMap<string, number>;
  add: (target: Target) => void;
  /** Sends the process no further requests, and waits until it has responded to those that it has. */
  remove: (target: Target) => Promise<void>;
  stop: () => void;
};

/** A load balancer that gives each request to the next process, or to the one that the header `x-target` names. */
export async function startBalancer(): Promise<Balancer> {
  const targets: Target[] = [];
  const answered = new Map<string, number>();
  const open = new Map<string, Set<Promise<unknown>>>();
  let turn = 0;

  const forward = (host: 'auth' | 'api') => (incoming: IncomingMessage, response: ServerResponse) => {
    turn += 1;
    const { method, url: path, headers } = incoming;
    const target = targets.find(({ name }) => name === headers['x-target']) ?? targets[turn % targets.length];
    if (!target) return response.writeHead(503).end();
    const outgoing = request({ host: '127.0.0.1', port: target[host], method, path, headers, agent: false });
    outgoing.on('response', (from) => {
      response.writeHead(from.statusCode ?? 502, from.headers);
      from.pipe(response);
    });
    outgoing.on('error', () => (response.headersSent ? response.destroy() : response.writeHead(502).end()));
    incoming.pipe(outgoing);
    const its = open.get(target.name) ?? new Set();
    open.set(target.name, its);
    const done = once(response, 'close').then(() => {
      answered.set(target.name, (answered.get(target.name) ?? 0) + 1);
      its.delete(done);
    });
    return its.add(done);
  };

  const servers = [createServer(forward('auth')), createServer(forward('api'))] as const;
  const urls = servers.map(async (server) => {
    // A connection that the server closes while the next request is under way would look like a failure of Latchkey.
    server.keepAliveTimeout = 0;
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('unreachable: it listens on a port');
    return `http://localhost:${address.port}`;
  });
  const [authUrl = '', apiUrl = ''] = await Promise.all(urls);
  return {
    authUrl,
    apiUrl,
    answered,
    add: (target) => targets.push(target),
    remove: async (target) => {
      targets.splice(targets.indexOf(target), 1);
      await Promise.all(open.get(target.name) ?? []);
    },
    stop: () => {
      for (const server of servers) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}
