import { once } from 'node:events';
import { createServer, get, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A process behind the balancer: the port that serves requests, and the port of `/readyz`. */
type Backend = { port: number; internalPort: number };

const CHECK_MS = 500;
const CHECK_TIMEOUT_MS = 5_000;
const MAX_SILENT = 3;
const RESPONSE_MS = 15_000;

/** What the balancer responds when the machine is too slow; it responds something else when a process drops a request. */
export const NONE_READY = 'no process is ready';
export const NO_RESPONSE = 'no response in time';

/**
 * A load balancer. It sends requests in turn to the backends whose `/readyz` is 200. If a backend refuses the connection, the
 * next gets the request; a request that was sent is never sent again.
 */
export class Balancer {
  readonly #backends: readonly Backend[];
  readonly #ready = new Set<Backend>();
  /** How many checks in a row got no response. */
  readonly #silent = new Map<Backend, number>();
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #checks: NodeJS.Timeout[] = [];
  #turn = 0;

  constructor(backends: readonly Backend[]) {
    this.#backends = backends;
    this.#server = createServer((incoming, response) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => this.#pass(incoming, Buffer.concat(chunks), response));
      incoming.on('error', () => response.destroy());
    });
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
  }

  /** @returns the port */
  async listen(): Promise<number> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    for (const backend of this.#backends) this.#checks.push(setInterval(() => this.#check(backend), CHECK_MS));
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('The balancer listens on no port.');
    return address.port;
  }

  get readyCount(): number {
    return this.#ready.size;
  }

  close(): void {
    for (const check of this.#checks) clearInterval(check);
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }

  #check(backend: Backend): void {
    const asked = get(
      { host: '127.0.0.1', port: backend.internalPort, path: '/readyz', agent: false, timeout: CHECK_TIMEOUT_MS },
      (response) => {
        response.resume();
        this.#silent.delete(backend);
        if (response.statusCode === 200) this.#ready.add(backend);
        else this.#ready.delete(backend);
      },
    );
    asked.on('timeout', () => asked.destroy());
    asked.on('error', () => {
      const silent = (this.#silent.get(backend) ?? 0) + 1;
      this.#silent.set(backend, silent);
      if (silent >= MAX_SILENT) this.#ready.delete(backend);
    });
  }

  #pass(incoming: IncomingMessage, body: Buffer, response: ServerResponse): void {
    this.#turn = (this.#turn + 1) % this.#backends.length;
    const inTurn = [...this.#backends.slice(this.#turn), ...this.#backends.slice(0, this.#turn)];
    const ready = inTurn.filter((backend) => this.#ready.has(backend));
    this.#send(
      incoming,
      body,
      response,
      ready.map(({ port }) => port),
    );
  }

  #send(incoming: IncomingMessage, body: Buffer, response: ServerResponse, [port, ...others]: number[]): void {
    if (port === undefined) {
      response.writeHead(503).end(NONE_READY);
      return;
    }
    const { method = 'GET', url: path = '/', headers } = incoming;
    const outgoing = request(
      { host: '127.0.0.1', port, method, path, headers, agent: false, timeout: RESPONSE_MS },
      (answered) => {
        response.writeHead(answered.statusCode ?? 502, answered.headers);
        answered.pipe(response);
        answered.on('error', () => response.destroy());
      },
    );
    outgoing.on('timeout', () => outgoing.destroy(new Error(NO_RESPONSE)));
    outgoing.on('error', (error) => {
      if ('code' in error && error.code === 'ECONNREFUSED') this.#send(incoming, body, response, others);
      else if (response.headersSent) response.destroy();
      else response.writeHead(502).end(error.message === NO_RESPONSE ? NO_RESPONSE : 'connection lost');
    });
    outgoing.end(body);
  }
}
