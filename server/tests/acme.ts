import 'reflect-metadata';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import * as x509 from '@peculiar/x509';
import { calculateJwkThumbprint, flattenedVerify, importJWK, type JWK } from 'jose';
import type { Clock } from '#platform/clock.ts';
import { fetchHere } from './domains.ts';

const DAY_MS = 86_400_000;
const EC = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

export type TestAuthority = {
  directory: string;
  /** The CA certificate to trust, as PEM. */
  root: string;
  /** The ordered hosts, in order. */
  orders: string[];
  stop: () => void;
};

type Order = { host: string; status: 'pending' | 'ready' | 'valid'; token: string; thumbprint: string; chain?: string };

/**
 * A small certificate authority in this process (RFC 8555): requests must be signed with a fresh nonce, challenges are
 * fetched over HTTP, and certificates are issued for the key and name of the request.
 * @param httpPort the port of this machine that stands for port 80
 */
export async function startAuthority(httpPort: number, clock: Clock): Promise<TestAuthority> {
  const signer = await makeSigner(clock);
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  const authority = new Authority(`http://127.0.0.1:${address.port}`, httpPort, signer);
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    response.setHeader('replay-nonce', authority.newNonce());
    authority
      .respond(request)
      .then(({ status = 200, body = {}, location }) => {
        if (location) response.setHeader('location', location);
        const pem = typeof body === 'string';
        response.setHeader('content-type', pem ? 'application/pem-certificate-chain' : 'application/json');
        response.writeHead(status).end(pem ? body : JSON.stringify(body));
      })
      .catch((error: unknown) => {
        const body = { type: 'urn:ietf:params:acme:error:unauthorized', detail: String(error) };
        response.setHeader('content-type', 'application/problem+json');
        response.writeHead(403).end(JSON.stringify(body));
      });
  });
  return {
    directory: `${authority.base}/directory`,
    root: signer.root,
    orders: authority.hosts,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

type AcmeResponse = { status?: number; body?: object | string; location?: string };

class Authority {
  readonly base: string;
  /** The ordered hosts. */
  readonly hosts: string[] = [];
  readonly #httpPort: number;
  readonly #signer: Signer;
  readonly #accounts = new Map<string, JWK>();
  readonly #orders: Order[] = [];
  readonly #nonces = new Set<string>();

  constructor(base: string, httpPort: number, signer: Signer) {
    this.base = base;
    this.#httpPort = httpPort;
    this.#signer = signer;
  }

  newNonce(): string {
    const nonce = crypto.randomUUID();
    this.#nonces.add(nonce);
    return nonce;
  }

  async respond(request: IncomingMessage): Promise<AcmeResponse> {
    const { base } = this;
    const path = request.url ?? '';
    if (path === '/directory')
      return { body: { newNonce: `${base}/nonce`, newAccount: `${base}/account`, newOrder: `${base}/order` } };
    if (path === '/nonce') return {};
    const { key, payload } = await this.#verified(request);
    const [, kind, id = ''] = path.split('/');
    if (kind === 'account') return this.#newAccount(key);
    if (kind === 'order' && id === '') return this.#newOrder(key, payload.identifiers[0].value);
    const order = this.#orders[Number(id)];
    assert.ok(order, 'a known order');
    if (kind === 'challenge') await prove(order, this.#httpPort);
    if (kind === 'finalize') {
      order.chain = await this.#signer.issue(order.host, Buffer.from(payload.csr, 'base64url'));
      order.status = 'valid';
    }
    if (kind === 'certificate') return { body: order.chain ?? '' };
    if (kind === 'challenge') return { body: this.#challenge(id, order) };
    return { body: kind === 'authorization' ? this.#authorization(id, order) : this.#shown(id, order) };
  }

  /**
   * Verifies a request: the key of a new account or the URL of a known one, and a nonce that is used once (RFC 8555
   * §6.2).
   */
  async #verified(request: IncomingMessage) {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    const jws = JSON.parse(Buffer.concat(chunks).toString());
    const header = JSON.parse(Buffer.from(jws.protected, 'base64url').toString());
    assert.ok(this.#nonces.delete(header.nonce), 'a fresh nonce');
    assert.equal(header.url, `${this.base}${request.url}`);
    const key: JWK | undefined = header.jwk ?? this.#accounts.get(header.kid);
    assert.ok(key, 'a known account');
    const { payload } = await flattenedVerify(jws, await importJWK(key, header.alg));
    return { key, payload: JSON.parse(Buffer.from(payload).toString() || '{}') };
  }

  #newAccount(key: JWK): AcmeResponse {
    const location = `${this.base}/account/${this.#accounts.size}`;
    this.#accounts.set(location, key);
    return { status: 201, body: { status: 'valid' }, location };
  }

  async #newOrder(key: JWK, host: string): Promise<AcmeResponse> {
    const thumbprint = await calculateJwkThumbprint(key);
    const order: Order = { host, status: 'pending', token: crypto.randomUUID(), thumbprint };
    const id = String(this.#orders.push(order) - 1);
    this.hosts.push(host);
    return { status: 201, body: this.#shown(id, order), location: `${this.base}/order/${id}` };
  }

  #shown(id: string, { status, host }: Order) {
    return {
      status,
      identifiers: [{ type: 'dns', value: host }],
      authorizations: [`${this.base}/authorization/${id}`],
      finalize: `${this.base}/finalize/${id}`,
      ...(status === 'valid' && { certificate: `${this.base}/certificate/${id}` }),
    };
  }

  #challenge(id: string, { status, token }: Order) {
    const url = `${this.base}/challenge/${id}`;
    return { type: 'http-01', url, token, status: status === 'pending' ? status : 'valid' };
  }

  #authorization(id: string, order: Order) {
    const status = order.status === 'pending' ? 'pending' : 'valid';
    return { status, identifier: { type: 'dns', value: order.host }, challenges: [this.#challenge(id, order)] };
  }
}

/** Validates a challenge (RFC 8555 §8.3). */
async function prove(order: Order, httpPort: number): Promise<void> {
  const found = await fetchHere(httpPort)(`http://${order.host}/.well-known/acme-challenge/${order.token}`);
  assert.equal(await found.text(), `${order.token}.${order.thumbprint}`, 'the proof of the host');
  order.status = 'ready';
}

type Signer = Awaited<ReturnType<typeof makeSigner>>;

/** A root that issues certificates for the key and the only name of a request. */
async function makeSigner(clock: Clock) {
  const from = (milliseconds: number) => new Date(clock.now().getTime() + milliseconds);
  const keys = await crypto.subtle.generateKey(EC, true, ['sign', 'verify']);
  const notAfter = from(3_650 * DAY_MS);
  const root = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name: 'CN=Test authority',
    notBefore: from(-DAY_MS),
    notAfter,
    signingAlgorithm: EC,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
    ],
  });
  let serial = 16;
  return {
    root: root.toString('pem'),
    issue: async (host: string, csr: Uint8Array<ArrayBuffer>): Promise<string> => {
      const request = new x509.Pkcs10CertificateRequest(csr);
      assert.ok(await request.verify(), 'the request is signed with its own key');
      const names = new x509.SubjectAlternativeNameExtension(
        request.getExtension('2.5.29.17')?.rawData ?? new ArrayBuffer(0),
      ).names.toJSON();
      assert.deepEqual(names, [{ type: 'dns', value: host }]);
      serial += 1;
      const certificate = await x509.X509CertificateGenerator.create({
        serialNumber: serial.toString(16),
        subject: `CN=${host}`,
        issuer: root.subject,
        notBefore: from(-60_000),
        notAfter: from(90 * DAY_MS),
        signingAlgorithm: EC,
        publicKey: request.publicKey,
        signingKey: keys.privateKey,
        extensions: [new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: host }])],
      });
      return certificate.toString('pem');
    },
  };
}
