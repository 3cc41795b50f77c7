import { expect, test } from 'vitest';
import { matching, withRecent } from './commands.ts';

const commands = ['Members', 'Webhooks', 'Project settings'].map((label) => ({ id: label, label, kind: 'Screen' }));

test('the palette matches any word, and lists labels that start with it first', () => {
  expect(matching(commands, 'set').map(({ label }) => label)).toEqual(['Project settings']);
  expect(matching(commands, 'screen me').map(({ label }) => label)).toEqual(['Members']);
  expect(matching(commands, 'nothing')).toEqual([]);
});

test('other words find a command, too', () => {
  const [, webhooks] = commands;
  expect(
    matching(
      [{ id: 'x', label: 'Members', kind: 'Screen', also: 'users people' }, ...(webhooks ? [webhooks] : [])],
      'user',
    ),
  ).toHaveLength(1);
});

test('the latest commands are kept once each, without actions that open nothing', () => {
  const at = (id: string) => ({ id, label: id, kind: 'Screen', to: id });
  const all = ['a', 'b', 'c', 'd', 'e', 'f', 'b'].reduce(
    (recent, id) => withRecent(recent, at(id)),
    withRecent([], { id: 't', label: 't', kind: 'Theme', run: () => undefined }),
  );
  expect(all.map(({ id }) => id)).toEqual(['b', 'f', 'e', 'd', 'c']);
});
