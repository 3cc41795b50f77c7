import assert from 'node:assert/strict';
import { managementToken, type TestLatchkey, type TestResponse } from './harness.ts';
import { type Behaviour, type Receiver, respondWith } from './receiver.ts';

export const ACTIONS = '/v1/admin/actions';

/** Answers a call of an action. */
export const responds = (response: object): Behaviour => respondWith(200, {}, JSON.stringify(response));
export const allows = responds({ decision: 'allow' });
export const refuses = responds({ decision: 'refuse', message: 'Not from here.' });

type AddedAction = { id: string; secret: string; path: string };

/** The actions of the demo's first project, and the receiver that they call. */
export type TestActions = {
  /** Adds an action at a path of its own. */
  add: (moment: string, behaviour: Behaviour, body?: object) => Promise<AddedAction>;
  change: (id: string, body: object) => Promise<TestResponse>;
  remove: (id: string) => Promise<TestResponse>;
  removeAll: () => Promise<void>;
  callsOf: (id: string) => Promise<TestResponse['body']>;
  /** The bodies of the calls to a path. */
  bodiesAt: (path: string) => TestResponse['body'][];
};

export async function actionsOf(latchkey: TestLatchkey, receiver: Receiver): Promise<TestActions> {
  const token = await managementToken(latchkey);
  const call = (path: string, sent: object = {}) => latchkey.api(`${ACTIONS}${path}`, { token, ...sent });
  const remove = (id: string) => call(`/${id}`, { method: 'DELETE' });
  let added = 0;
  return {
    add: async (moment, behaviour, body = {}) => {
      added += 1;
      const path = `/action-${added}`;
      receiver.on(path, behaviour);
      const given = { name: `Action ${added}`, moment, url: receiver.origin + path, onFailure: 'refuse', ...body };
      const created = await call('', { body: given });
      assert.equal(created.status, 201, created.text);
      return { id: created.body.id, secret: created.body.secret, path };
    },
    change: (id, body) => call(`/${id}`, { method: 'PATCH', body }),
    remove,
    removeAll: async () => {
      const { body } = await call('');
      await Promise.all(body.items.map(({ id }: { id: string }) => remove(id)));
    },
    callsOf: async (id) => (await call(`/${id}/calls`)).body.items,
    bodiesAt: (path) => receiver.at(path).map(({ body }) => JSON.parse(body)),
  };
}
