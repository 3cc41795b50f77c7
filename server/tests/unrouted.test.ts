import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { faultsOf, statementsIn } from './unrouted.ts';

const at = (pid: number, name: string) => `2026-11-27 10:00:00.000 UTC [${pid}] ${name}`;
const unrouted = (pid: number, name: string, text: string) =>
  [
    `${at(pid, name)} LOG:  multi-task query about to be executed`,
    `${at(pid, name)} HINT:  Queries are split to multiple tasks if they have to be split into several queries on the workers.`,
    `${at(pid, name)} STATEMENT:  ${text}`,
  ].join('\n');
/** A process that serves appends its tag to the name of its connections. */
const refused = (pid: number, text: string) =>
  [
    `${at(pid, 'latchkey Ab3-')} ERROR:  cannot push down this subquery`,
    `${at(pid, 'latchkey Ab3-')} STATEMENT:  ${text}`,
  ].join('\n');
const DECLARED = [{ statement: /^select 1 from users/, because: 'an example' }];

describe('the statements that ask several servers', () => {
  test('a declared one passes, one that nobody declared is a fault', () => {
    const log = `${unrouted(1, 'latchkey', 'select 1\n\tfrom users')}\n${unrouted(2, 'latchkey-dispatcher', 'select 2 from users')}`;
    assert.deepEqual(faultsOf(statementsIn(log), DECLARED), [
      'asks several servers, and no reason is given: select 2 from users',
    ]);
  });

  test('one that Citus refuses is a fault, an error of its data is none', () => {
    const duplicate = `${at(3, 'latchkey')} ERROR:  duplicate key value violates unique constraint "users_pkey_102"\n${at(3, 'latchkey')} STATEMENT:  insert into users`;
    assert.deepEqual(faultsOf(statementsIn(`${duplicate}\n${refused(4, 'select 1 from users')}`), DECLARED), [
      'Citus refuses it: select 1 from users',
    ]);
  });

  test('what tests ask over connections of their own does not count', () => {
    assert.deepEqual(faultsOf(statementsIn(unrouted(5, 'test', 'select 3 from users')), DECLARED), []);
  });
});
