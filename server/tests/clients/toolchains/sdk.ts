import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { register, startTestLatchkey } from '#tests/harness.ts';

/** Runs the tests of a package in another language against a Latchkey of their own, and shows what they print if they fail. */
export async function expectTestsPass(
  [program = '', ...args]: string[],
  { cwd, env = {} }: { cwd: string; env?: Record<string, string> },
): Promise<void> {
  const latchkey = await startTestLatchkey();
  try {
    const { access_token: accessToken } = await register(latchkey);
    const { workspaceId, projects, environments } = latchkey.demo;
    const { authUrl, apiUrl, managementClientId, managementClientSecret } = environments.test;
    const demo = {
      authUrl,
      apiUrl,
      workspaceId,
      projectId: projects[0]?.id,
      managementClientId,
      managementClientSecret,
      accessToken,
    };
    const options = { cwd, env: { ...process.env, ...env, LATCHKEY_TEST_DEMO: JSON.stringify(demo) } };
    const output = await promisify(execFile)(program, args, options).catch((error) => error);
    assert.ok(!(output instanceof Error), `${output.stdout}\n${output.stderr}`);
    assert.doesNotMatch(output.stdout + output.stderr, /skip/i, 'no test was skipped');
  } finally {
    await latchkey.stop();
  }
}
