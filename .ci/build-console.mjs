// Makes the clients of the console and of @latchkey/api and builds the console where the tools are installed: `npm ci` does it, and `npm start` where that was left out. An installation
// without development packages brings the console built, or serves its API alone.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const [choice] = process.argv.slice(2);
const tools = existsSync('node_modules/vite') || existsSync('console/node_modules/vite');
const built = existsSync('console/dist/index.html');

if (!tools && !built) console.warn('The console is not built: its tools are not installed. Its API works without it.');
if (tools && !(choice === '--if-missing' && built)) {
  const commands = [
    ['run', '--silent', 'client', '-w', '@latchkey/api'],
    ['run', '--silent', 'build', '-w', 'console', '--', '--logLevel', 'warn'],
  ];
  for (const command of commands) {
    const { status } = spawnSync('npm', command, { stdio: 'inherit', shell: process.platform === 'win32' });
    if (status !== 0) process.exit(status ?? 1);
  }
}

// Pages that are missing are no reason to fail: the server says how to build them, and everything else works. The build looks by itself whether anything changed.
const documentation = existsSync('node_modules/vitepress') || existsSync('site/node_modules/vitepress');
if (documentation && !(choice === '--if-missing' && existsSync('site/dist/index.html.br'))) {
  const { status } = spawnSync('npm', ['run', '--silent', 'build', '-w', 'site'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
  if (status !== 0) console.warn('The documentation is not built. To see why: npm run build -w site');
}
