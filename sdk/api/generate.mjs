// Makes src/generated/ from the OpenAPI descriptions: the types of each host, and the paths whose POST takes an Idempotency-Key.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import openapiTypes, { astToString } from 'openapi-typescript';

const folder = new URL('./src/generated/', import.meta.url);
mkdirSync(folder, { recursive: true });

for (const host of ['api', 'auth', 'status']) {
  const description = JSON.parse(readFileSync(new URL(`../../docs/openapi/${host}.json`, import.meta.url), 'utf8'));
  const keyed = Object.entries(description.paths)
    .filter(([, { post }]) => JSON.stringify(post?.parameters ?? []).includes('/parameters/idempotency-key'))
    .map(([path]) => path);
  // Types are found by path, and two methods of one path may share an id, which the generator refuses.
  for (const operation of Object.values(description.paths).flatMap((methods) => Object.values(methods)))
    delete operation.operationId;
  // biome-ignore lint/performance/noAwaitInLoops: both use the processor alone
  const types = astToString(await openapiTypes(description, { silent: true }));
  writeFileSync(
    new URL(`${host}.ts`, folder),
    `${types}\nexport const keyedPaths: readonly string[] = ${JSON.stringify(keyed, null, 2)};\n`,
  );
}
