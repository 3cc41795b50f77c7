// Asks the registry for known faults of the packages that a release installs. Some registries do not answer: that is said, and is
// no failure. Its last line is "N passed, N failed".
import { spawnSync } from 'node:child_process';
import { noteFailure } from './failures.mjs';

const { stdout } = spawnSync('npm', ['audit', '--omit=dev', '--json'], {
  encoding: 'utf8',
  shell: process.platform === 'win32',
  timeout: 60_000,
});
const { vulnerabilities } = parse(stdout);
if (vulnerabilities === undefined) {
  console.log('⏭ The dependency audit is skipped: the registry does not answer it');
  console.log('0 passed, 0 failed');
} else {
  const severe = Object.values(vulnerabilities).filter(({ severity }) => ['high', 'critical'].includes(severity));
  for (const { name, severity, range } of severe) {
    console.log(`✖ ${name} ${range}: ${severity}`);
    noteFailure(`${name} ${range}: ${severity}`);
  }
  console.log(severe.length === 0 ? '1 passed, 0 failed' : '0 passed, 1 failed');
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
