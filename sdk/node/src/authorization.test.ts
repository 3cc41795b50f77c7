import 'reflect-metadata';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { describe, test } from 'node:test';
import { Controller, Get, Module, Req, UseGuards } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { type AccessToken, InvalidTokenError, type Verifier } from './access-tokens.ts';
import type { Required } from './authorization.ts';
import { requireToken as expressToken, accessTokenOf as tokenOfExpress } from './express.ts';
import { requireToken as fastifyToken, accessTokenOf as tokenOfFastify } from './fastify.ts';
import { requireToken as honoToken, accessTokenOf as tokenOfHono } from './hono.ts';
import { requireToken as nestToken, accessTokenOf as tokenOfNest } from './nest.ts';

const person: AccessToken = {
  kind: 'person',
  subject: 'usr_1',
  scopes: ['orders:read'],
  permissions: ['orders:refund'],
  roles: [],
  expiresAt: new Date(),
  claims: {},
};
/** Says what the token asks for. */
const verify: Verifier = (token) => {
  if (token === 'valid') return Promise.resolve(person);
  return Promise.reject(token === 'away' ? new Error('Latchkey is away') : new InvalidTokenError('expired'));
};

const REQUIRED: Record<string, Required> = {
  '/': {},
  '/scope': { scope: 'orders:read' },
  '/permission': { permission: 'orders:refund' },
  '/no-scope': { scope: 'orders:write' },
  '/no-permission': { scope: 'orders:read', permission: 'orders:delete' },
};

type Send = (path: string, headers: Record<string, string>) => Promise<Response>;

/** A module with a route for each path. Node.js reads no decorators, so they are called. */
function nestModule(): new () => object {
  class Routes {}
  class Application {}
  const paths = [...Object.entries(REQUIRED), ['/open', null] as const];
  for (const [path, required] of paths) {
    const descriptor = { value: (request: object) => ({ you: tokenOfNest(request).subject }) };
    Object.defineProperty(Routes.prototype, path, descriptor);
    Get(path)(Routes.prototype, path, descriptor);
    if (required) UseGuards(nestToken(verify, required))(Routes.prototype, path, descriptor);
    Req()(Routes.prototype, path, 0);
  }
  Controller()(Routes);
  Module({ controllers: [Routes] })(Application);
  return Application;
}

/** A server of each framework with the same paths, and what its clients call. */
const servers: Record<string, () => Promise<{ send: Send; close: () => Promise<unknown> | unknown }>> = {
  Express: async () => {
    const app = express();
    // Express prints errors in other modes.
    app.set('env', 'test');
    for (const [path, required] of Object.entries(REQUIRED))
      app.get(path, expressToken(verify, required), (request, response) => {
        response.json({ you: tokenOfExpress(request).subject });
      });
    app.get('/open', (request, response) => {
      response.json({ you: tokenOfExpress(request).subject });
    });
    const server = createServer(app).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = Object(server.address());
    return {
      send: (path, headers) => fetch(`http://127.0.0.1:${port}${path}`, { headers }),
      close: () => {
        server.closeAllConnections();
        server.close();
      },
    };
  },
  Fastify: async () => {
    const app = fastify();
    for (const [path, required] of Object.entries(REQUIRED))
      app.get(path, { onRequest: fastifyToken(verify, required) }, (request) => ({
        you: tokenOfFastify(request).subject,
      }));
    app.get('/open', (request) => ({ you: tokenOfFastify(request).subject }));
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    return { send: (path, headers) => fetch(url + path, { headers }), close: () => app.close() };
  },
  Hono: () => {
    const app = new Hono();
    for (const [path, required] of Object.entries(REQUIRED))
      app.get(path, honoToken(verify, required), (c) => c.json({ you: tokenOfHono(c).subject }));
    app.onError((_error, c) => c.text('failed', 500));
    app.get('/open', (c) => c.json({ you: tokenOfHono(c).subject }));
    return Promise.resolve({
      send: (path, headers) => Promise.resolve(app.request(path, { headers })),
      close: () => undefined,
    });
  },
  NestJS: async () => {
    const app = await NestFactory.create(nestModule(), { logger: false });
    await app.listen(0, '127.0.0.1');
    const url = await app.getUrl();
    return { send: (path, headers) => fetch(url + path, { headers }), close: () => app.close() };
  },
};

for (const [framework, start] of Object.entries(servers))
  describe(framework, () => {
    test('lets valid tokens through and responds to all others', async (t) => {
      const { send, close } = await start();
      t.after(close);
      const ask = async (path: string, authorization?: string) => {
        const response = await send(path, authorization === undefined ? {} : { authorization });
        const text = await response.text();
        return { status: response.status, challenge: response.headers.get('www-authenticate'), text };
      };
      const allowed = await Promise.all(['/', '/scope', '/permission'].map((path) => ask(path, 'bearer valid')));
      assert.deepEqual(allowed, Array(3).fill({ status: 200, challenge: null, text: '{"you":"usr_1"}' }));
      const missing = [undefined, '', 'Basic dTpw', 'Bearer', 'Bearer a b'];
      const unknown = await Promise.all(missing.map((authorization) => ask('/', authorization)));
      assert.deepEqual(
        unknown.map(({ status, challenge }) => [status, challenge]),
        missing.map(() => [401, 'Bearer']),
      );
      const expired = await ask('/', 'Bearer expired');
      assert.deepEqual([expired.status, expired.challenge], [401, 'Bearer error="invalid_token"']);
      assert.equal(JSON.parse(expired.text).errorCode, 'AUTHENTICATION_REQUIRED');
      const scope = await ask('/no-scope', 'Bearer valid');
      const challenge = 'Bearer error="insufficient_scope", scope="orders:write"';
      assert.deepEqual([scope.status, scope.challenge], [403, challenge]);
      const permission = await ask('/no-permission', 'Bearer valid');
      assert.deepEqual([permission.status, JSON.parse(permission.text).requiredPermission], [403, 'orders:delete']);
      assert.equal((await ask('/', 'Bearer away')).status, 500, 'a token that could not be checked is not invalid');
      assert.equal((await ask('/open', 'Bearer valid')).status, 500, 'without requireToken there is no token');
    });
  });
