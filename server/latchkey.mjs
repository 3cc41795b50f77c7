#!/usr/bin/env -S MALLOC_MMAP_THRESHOLD_=4194304 node --min-semi-space-size=16 --max-semi-space-size=16
// Plain JavaScript, so that an old Node can still run the check.
const NEEDED = [24, 12];
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major < NEEDED[0] || (major === NEEDED[0] && minor < NEEDED[1])) {
  console.error(
    `Latchkey needs Node.js ${NEEDED.join('.')} or newer; this is ${process.versions.node}.\n` +
      'A clone brings the right one: run it with "npm start". If that is what you did, npm has blocked the install script of the\n' +
      'package "node": see "allowScripts" in package.json, then run "npm ci" again.',
  );
  process.exit(1);
}

const { enableCompileCache } = await import('node:module');
enableCompileCache();
const { run } = await import('./main.ts');
await run(process.argv.slice(2));
