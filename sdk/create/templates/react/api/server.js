import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import { tokenVerifier } from '@latchkey/node';
import { accessTokenOf, requireToken } from '@latchkey/node/fastify';
import fastify from 'fastify';

const { VITE_LATCHKEY_ISSUER: issuer, VITE_LATCHKEY_API: audience, LATCHKEY_PROJECT_ID: projectId } = process.env;

const app = fastify();
const verify = tokenVerifier({ issuer, audience, projectId });

app.get('/api/greeting', { onRequest: requireToken(verify) }, (request) => ({
  text: `Hello, ${accessTokenOf(request).subject}`,
}));

// The page: by Vite while you develop, from the folder `dist` otherwise.
if (process.argv.includes('--dev')) {
  const { createServer } = await import('vite');
  const vite = await createServer({ server: { middlewareMode: true, hmr: { server: app.server } } });
  app.addHook('onRequest', (request, reply, done) => {
    if (request.url.startsWith('/api/')) return done();
    reply.hijack();
    vite.middlewares(request.raw, reply.raw, () => reply.raw.writeHead(404).end());
  });
  // A hook runs for addresses without a route, too.
  app.setNotFoundHandler((_request, reply) => reply.code(404).send());
} else {
  app.register(fastifyStatic, { root: fileURLToPath(new URL('../dist', import.meta.url)) });
  app.setNotFoundHandler((_request, reply) => reply.sendFile('index.html'));
}

await app.listen({ port: 5173, host: 'localhost' });
console.log('Open http://localhost:5173');
