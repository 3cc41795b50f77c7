import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import DNS from 'dns2';
import { Agent, buildConnector, fetch as fetchFrom } from 'undici';
import { type Answer, expectEvent, managementToken, type TestLatchkey } from './harness.ts';

export type TestDns = {
  /** As `LATCHKEY_DNS_SERVERS` takes it. */
  address: string;
  /** TXT records by name, each as the parts it is stored in; `servfail`: the zone is broken. Others do not exist. */
  zone: Map<string, string[][] | 'servfail'>;
  /** How often a name was asked for. */
  asked: (name: string) => number;
  stop: () => void;
};

/** A name server of its own, in this process. */
export async function startDns(): Promise<TestDns> {
  const zone: TestDns['zone'] = new Map();
  const asked = new Map<string, number>();
  const server = DNS.createUDPServer((request, send) => {
    const response = DNS.Packet.createResponseFromRequest(request);
    const name = request.questions[0]?.name ?? '';
    asked.set(name, (asked.get(name) ?? 0) + 1);
    const records = zone.get(name);
    if (records === undefined) response.header.rcode = 3;
    else if (records === 'servfail') response.header.rcode = 2;
    else
      for (const data of records)
        response.answers.push(
          Object.assign(new DNS.Packet.Resource(), {
            name,
            type: DNS.Packet.TYPE.TXT,
            class: DNS.Packet.CLASS.IN,
            ttl: 0,
            data,
          }),
        );
    send(response);
  });
  await server.listen(0, '127.0.0.1');
  const { port } = server.address();
  return {
    address: `127.0.0.1:${port}`,
    zone,
    asked: (name) => asked.get(name) ?? 0,
    stop: () => server.close(),
  };
}

/** A `fetch` for which every name stands for this machine. @param port where to connect instead of the address's own port */
export function fetchHere(port?: number): typeof globalThis.fetch {
  const connect = buildConnector({});
  const dispatcher = new Agent({
    connect: (options, callback) =>
      connect({ ...options, hostname: '127.0.0.1', ...(port !== undefined && { port: String(port) }) }, callback),
  });
  return async (input, init) => {
    const { body, headers, method, redirect } = { ...init };
    const answer = await fetchFrom(String(input), {
      dispatcher,
      headers: [...headersOf(headers, body)],
      ...(method !== undefined && { method }),
      ...(redirect !== undefined && { redirect }),
      ...((typeof body === 'string' || body instanceof URLSearchParams) && { body: String(body) }),
    });
    const bytes = await answer.arrayBuffer();
    return new Response(bytes.byteLength > 0 ? bytes : null, { status: answer.status, headers: [...answer.headers] });
  };
}

function headersOf(given: ConstructorParameters<typeof Headers>[0], body: unknown): Headers {
  const headers = new Headers(given);
  if (body instanceof URLSearchParams && !headers.has('content-type'))
    headers.set('content-type', 'application/x-www-form-urlencoded');
  return headers;
}

type Call = { method?: string; body?: unknown; token?: string; headers?: Record<string, string> };

/** Calls an address whose name stands for this machine. Fails the test when a change answered 2xx and left no event. */
export async function callAt(
  latchkey: TestLatchkey,
  url: string,
  { method, body, token, headers, port }: Call & { port?: number } = {},
): Promise<Answer> {
  const correlationId = randomUUID();
  const form = body instanceof URLSearchParams;
  const response = await fetchHere(port)(url, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    redirect: 'manual',
    headers: {
      'x-correlation-id': correlationId,
      ...(body !== undefined && {
        'content-type': form ? 'application/x-www-form-urlencoded' : 'application/json',
      }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body !== undefined && { body: form ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  if (response.ok && body !== undefined) await expectEvent(latchkey.system, new URL(url).pathname, correlationId);
  const json = response.headers.get('content-type')?.includes('json');
  return { status: response.status, headers: response.headers, text, body: json ? JSON.parse(text) : text };
}

const DOMAINS = '/v1/admin/domains';

/** Adds a host to the demo's first project, proves it, and binds it. @returns its record and addresses by purpose */
export async function bindHost(
  latchkey: TestLatchkey,
  dns: TestDns,
  { host, purposes = ['auth'], token: given }: { host: string; purposes?: ('auth' | 'api')[]; token?: string },
) {
  const token = given ?? (await managementToken(latchkey));
  const { body: domain } = await latchkey.api(DOMAINS, { token, body: { host } });
  dns.zone.set(domain.verification.name, [[domain.verification.value]]);
  const verified = await latchkey.api(`${DOMAINS}/${domain.id}/verify`, { method: 'POST', token });
  assert.equal(verified.status, 200, verified.text);
  const [project] = latchkey.demo.projects;
  const addresses: Record<string, string> = {};
  for (const purpose of purposes) {
    // biome-ignore lint/performance/noAwaitInLoops: two at most
    const bound = await latchkey.api(`${DOMAINS}/${domain.id}/bindings`, {
      token,
      body: { projectId: project?.id, environment: 'test', purpose },
    });
    assert.equal(bound.status, 201, bound.text);
    addresses[purpose] = bound.body.address;
  }
  return {
    id: String(domain.id),
    name: String(domain.verification.name),
    auth: addresses['auth'] ?? '',
    api: addresses['api'] ?? '',
  };
}
