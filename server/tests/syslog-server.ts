import 'reflect-metadata';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type TLSSocket } from 'node:tls';
import * as x509 from '@peculiar/x509';

const EC = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY_MS = 86_400_000;

/** A certificate with its private key, as PEM. */
export type Certified = { certificate: string; key: string };

export async function selfSigned(host: string): Promise<Certified> {
  const keys = await crypto.subtle.generateKey(EC, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name: `CN=${host}`,
    notBefore: new Date(Date.now() - DAY_MS),
    notAfter: new Date(Date.now() + DAY_MS),
    signingAlgorithm: EC,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: host }]),
    ],
  });
  const key = x509.PemConverter.encode(await crypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY');
  return { certificate: certificate.toString('pem'), key };
}

type SyslogMessage = {
  priority: number;
  timestamp: string;
  hostName: string;
  appName: string;
  messageId: string;
  data: string;
  json: Record<string, unknown>;
};

/** The fields of RFC 5424 §6, with none missing. */
const MESSAGE =
  /^<(?<priority>\d{1,3})>1 (?<timestamp>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?Z) (?<hostName>[\x21-\x7e]{1,255}) (?<appName>[\x21-\x7e]{1,48}) - (?<messageId>[\x21-\x7e]{1,32}) (?<data>-|\[meta sequenceId="\d+"\]) (?<text>[\x20-\x7e]*)$/;

/** Parses frames of RFC 5425 §4.3, strictly: an octet too many or too few fails. */
function messagesIn(bytes: Buffer): SyslogMessage[] {
  const messages: SyslogMessage[] = [];
  let rest = bytes.toString('latin1');
  while (rest !== '') {
    const length = /^([1-9]\d{0,4}) /.exec(rest)?.[1];
    assert.ok(length, `a frame begins with its length: ${rest.slice(0, 40)}`);
    const from = length.length + 1;
    const frame = rest.slice(from, from + Number(length));
    assert.equal(frame.length, Number(length), 'the frame is complete');
    const found = MESSAGE.exec(frame)?.groups;
    assert.ok(found, frame);
    const { priority, timestamp = '', hostName = '', appName = '', messageId = '', data = '', text = '' } = found;
    messages.push({
      priority: Number(priority),
      timestamp,
      hostName,
      appName,
      messageId,
      data,
      json: JSON.parse(text),
    });
    rest = rest.slice(from + Number(length));
  }
  return messages;
}

export type SyslogServer = {
  address: string;
  messages: SyslogMessage[];
  /** How many connections were handled. */
  connections: () => number;
  /** The next connections are cut before they are read to their end. */
  cut: (on: boolean) => void;
  stop: () => void;
};

/** A syslog receiver over TLS. `clients`: the certificates that it asks clients for. */
export async function startSyslog({ certificate, key }: Certified, clients?: string): Promise<SyslogServer> {
  const messages: SyslogMessage[] = [];
  let connections = 0;
  let cutting = false;
  const open = new Set<TLSSocket>();
  const server = createServer(
    {
      cert: certificate,
      key,
      ...(clients !== undefined && { ca: clients, requestCert: true, rejectUnauthorized: true }),
    },
    (socket) => {
      connections += 1;
      open.add(socket);
      const chunks: Buffer[] = [];
      socket.on('error', () => undefined);
      socket.on('close', () => open.delete(socket));
      if (cutting) return socket.destroy();
      socket.on('data', (chunk: Buffer) => chunks.push(chunk));
      return socket.on('end', () => {
        messages.push(...messagesIn(Buffer.concat(chunks)));
        socket.end();
      });
    },
  );
  server.on('tlsClientError', () => undefined);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The receiver listens on no port.');
  return {
    address: `tls://localhost:${address.port}`,
    messages,
    connections: () => connections,
    cut: (on) => {
      cutting = on;
    },
    stop: () => {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
}
