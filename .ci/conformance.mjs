// Runs the OpenID Foundation's conformance suite against this checkout.
//   npm run conformance -- --suite FOLDER [--plan NAME …] [--write]
// FOLDER holds the suite and its `run.sh`, which starts a Latchkey with a database of its own, runs plans, and leaves the
// results of each in `PLAN.json`. A plan for other keys is named with them: `fapi:PS256`. `--write` writes docs/conformance.md.
// Needs what `run.sh` needs: a JDK, openssl, and the right to add names to /etc/hosts. Takes ten minutes or more.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { noteFailure } from './failures.mjs';

const TITLES = {
  config: 'OpenID Connect: Config',
  // Before the plans that sign out: Latchkey tries their logout tokens again, which this plan does not expect.
  backchannel: 'OpenID Connect: Back-Channel Logout',
  basic: 'OpenID Connect: Basic',
  formpost: 'OpenID Connect: Form Post (Basic)',
  logout: 'OpenID Connect: RP-Initiated Logout',
  fapi: 'FAPI 2.0 Security Profile (private_key_jwt, DPoP), ES256',
  'fapi:PS256': 'FAPI 2.0 Security Profile, PS256',
  'fapi:EdDSA': 'FAPI 2.0 Security Profile, EdDSA',
};
const GOOD = ['PASSED', 'WARNING', 'REVIEW', 'SKIPPED'];
/** It puts `response_mode` into a request object, which a server without request objects does not read. */
const FAULT_OF_THE_SUITE = {
  plan: 'formpost',
  module: 'oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported',
};
/** Why a warning of a module stays. */
const REASONS = {
  'oidcc-scope-profile':
    'The person of the suite has not filled every field of the profile; a claim without a value is left out ([why](decisions/0136-the-profile-has-the-standard-claims.md)).',
  'fapi2-security-profile-final-test-claims-parameter-identity-claims':
    'The module knows neither `workspace_id` and `project_id` at userinfo nor `sid` in the ID token, a claim of the logout standards ([why](decisions/0131-id-tokens-prove-the-sign-in.md)).',
};

const { values } = parseArgs({
  options: {
    suite: { type: 'string' },
    plan: { type: 'string', multiple: true },
    write: { type: 'boolean', default: false },
  },
});
const root = resolve(import.meta.dirname, '..');
const script = values.suite && join(resolve(values.suite), 'run.sh');
if (!script || !existsSync(script)) {
  console.error('Name the folder of the suite: npm run conformance -- --suite FOLDER');
  process.exit(2);
}
const plans = values.plan ?? Object.keys(TITLES);

/**
 * Runs plans that use the same keys. It prints what did not pass and the counts of each plan, and writes everything into a file.
 * @returns the results by plan; none for a plan that did not run
 */
async function run(algorithm, names) {
  const out = mkdtempSync(join(tmpdir(), 'latchkey-conformance-'));
  // The database may run as another user, who must reach its folder.
  chmodSync(out, 0o711);
  const child = spawn('bash', [script, root, out, ...names], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, TMPDIR: out, ...(algorithm && { ALG: algorithm }) },
  });
  console.log(`The whole log of this run is ${out}.log`);
  for (const input of [child.stdout, child.stderr])
    createInterface({ input }).on('line', (line) => {
      appendFileSync(`${out}.log`, `${line}\n`);
      if (!line.startsWith('PASSED ')) console.log(line);
    });
  const [status] = await once(child, 'close');
  await endLatchkey(out);
  const results = names.map((name) => {
    const file = join(out, `${name}.json`);
    const plan = algorithm ? `${name}:${algorithm}` : name;
    return { plan, modules: existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).results : [] };
  });
  if (status === 0) rmSync(out, { recursive: true, force: true });
  else console.log(`The logs of its programs are in ${out}`);
  return results;
}

/** Ends the Latchkey of a run, which may outlive the script, and waits until its ports are free. */
async function endLatchkey(out) {
  const started = () => readdirSync('/proc').filter((name) => /^\d+$/.test(name) && isIn(out, name));
  for (let round = 0; started().length > 0 && round < 30; round++) {
    for (const pid of started()) {
      try {
        process.kill(Number(pid), round < 20 ? 'SIGTERM' : 'SIGKILL');
      } catch {
        // It has ended meanwhile.
      }
    }
    // biome-ignore lint/performance/noAwaitInLoops: it waits
    await sleep(1_000);
  }
}

/** Whether a process is a Latchkey, or its database, whose data is in the folder. */
function isIn(out, pid) {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`LATCHKEY_DATA_DIR=${out}/`);
  } catch {
    return false;
  }
}

function isKnown({ plan }, { testModule }) {
  return plan === FAULT_OF_THE_SUITE.plan && testModule === FAULT_OF_THE_SUITE.module;
}

function countsOf(modules) {
  const counts = Object.entries(Object.groupBy(modules, ({ result }) => result));
  return counts.map(([result, found]) => `${found.length} ${result}`).join(', ');
}

function page(results) {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const rows = results.map(
    (result) => `| ${TITLES[result.plan] ?? result.plan} | ${result.modules.length} | ${countsOf(result.modules)} |`,
  );
  const warnings = [
    ...new Set(
      results.flatMap(({ modules }) =>
        modules.flatMap(({ result, testModule }) =>
          result === 'WARNING' ? [`- \`${testModule}\`: ${REASONS[testModule] ?? 'Not explained yet.'}`] : [],
        ),
      ),
    ),
  ];
  return `# OpenID conformance

<!-- Written by \`npm run conformance -- --suite FOLDER --write\`. -->

The conformance suite of the OpenID Foundation runs against Latchkey ${version} with these results.

| plan | modules | results |
|---|---|---|
${rows.join('\n')}

\`REVIEW\` asks a person to look at a page: the question before signing out, or an error page. \`SKIPPED\` modules are about features that
Latchkey does not announce. Form Post has a known fault of the suite: \`${FAULT_OF_THE_SUITE.module}\`
puts \`response_mode\` into a request object, which Latchkey does not read, and expects a response by form post.

**Warnings**

${warnings.join('\n') || 'None.'}

**What is not claimed.** Dynamic registration (its profile requires the implicit grant and metadata that the server would fetch, which
Latchkey refuses), session management, front-channel logout, the hybrid and implicit profiles, FAPI message signing, and mutual TLS.

**Repeat it.** You need a JDK 21 or newer, openssl, and a folder with the suite and a \`run.sh LATCHKEY_FOLDER OUT_FOLDER [PLAN…]\` that
starts both, runs the plans, and leaves \`PLAN.json\` with the results. The person who signs in needs every field of the profile: a claim
without a value is left out, and \`oidcc-scope-profile\` warns of it.

\`\`\`sh
npm run conformance -- --suite FOLDER                  # every plan; ten minutes or more
npm run conformance -- --suite FOLDER --plan basic     # one plan
npm run conformance -- --suite FOLDER --write          # and write this page
\`\`\`

The plans without FAPI send no PKCE challenge: their applications need \`pkce: "optional"\`.

**Certify it.** Run the same plans at <https://www.certification.openid.net> against your public installation, look at the pages that ask
for a review, and submit the logs as <https://openid.net/certification> describes. Certification is by deployment and version.
`;
}

const results = [];
for (const algorithm of new Set(plans.map((plan) => plan.split(':')[1]))) {
  const names = plans.filter((plan) => plan.split(':')[1] === algorithm).map((plan) => plan.split(':')[0]);
  // biome-ignore lint/performance/noAwaitInLoops: each run takes the same ports
  results.push(...(await run(algorithm, names)));
}
const faults = results.flatMap((result) => [
  ...(result.modules.length === 0 ? [`${result.plan} did not run`] : []),
  ...result.modules
    .filter((module) => !GOOD.includes(module.result) && !isKnown(result, module))
    .map(({ testModule, result: outcome }) => `${result.plan} ${testModule}: ${outcome}`),
]);
if (values.write) writeFileSync(join(root, 'docs', 'conformance.md'), page(results));
for (const fault of faults) {
  console.log(`✖ ${fault}`);
  noteFailure(fault);
}
const good = results.flatMap(({ modules }) => modules).filter(({ result }) => GOOD.includes(result)).length;
console.log(`${good} passed, ${faults.length} failed`);
process.exit(faults.length === 0 ? 0 : 1);
