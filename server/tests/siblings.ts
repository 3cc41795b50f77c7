import assert from 'node:assert/strict';
import { updateSettings } from '#environments';
import type { ProjectId } from '#platform/ids.ts';
import type { Settings } from '#settings';
import { challengeIn } from './factors.ts';
import { expectProblem, PASSWORD, register, type TestLatchkey, type TestResponse } from './harness.ts';

export type Person = Awaited<ReturnType<typeof register>>;
type Policy = Settings['mfa'];

/**
 * Two projects of the demo's workspace, and how a person moves between them.
 * @param running the installation, once it has started
 */
export function siblingsOf(running: () => TestLatchkey) {
  /** The second project. */
  const sibling = () => {
    const id: ProjectId | undefined = running().demo.projects[1]?.id;
    assert.ok(id);
    return { workspaceId: running().demo.workspaceId, projectId: id };
  };
  /** Sets the policies of the first and the second project. */
  const policies = async (here: Policy, there: Policy, more: Partial<Settings> = {}): Promise<void> => {
    await running().inProject((tx) => updateSettings(tx, { mfa: here }));
    await running().inProject((tx) => updateSettings(tx, { mfa: there, ...more }), { projectId: sibling().projectId });
  };
  const login = (person: { email: string }, more: Record<string, unknown> = {}) =>
    running().auth('/v1/auth/login/password', { body: { identifier: person.email, password: PASSWORD, ...more } });
  return {
    sibling,
    policies,
    login,
    verify: (response: TestResponse, code: string | undefined, more: Record<string, unknown> = {}) =>
      running().auth('/v1/auth/mfa/verify', { body: { mfaToken: challengeIn(response).mfaToken, code, ...more } }),
    switchTo: (token: string) =>
      running().auth('/v1/sessions/switch-context', { token, body: { ...sibling(), environment: 'test' } }),
    refresh: (token: string) => running().auth('/v1/sessions/refresh', { body: { refresh_token: token } }),
    /** A member of both projects without a second factor. */
    memberOfBoth: async (): Promise<Person> => {
      const person = await register(running());
      await policies('optional', 'optional');
      assert.equal((await login(person, sibling())).status, 200);
      return person;
    },
  };
}

/** Asserts that a session is refused and that the response names the required step-up. */
export function expectStepUp(response: TestResponse): void {
  expectProblem(response, 401, 'REAUTHENTICATION_REQUIRED');
  assert.equal(response.body.acr, 'aal2', response.text);
  assert.equal(typeof response.body.maxAge, 'number', response.text);
}
