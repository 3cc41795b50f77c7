import { expect, test } from 'vitest';
import { matching } from './commands.ts';

const commands = ['Members', 'Webhooks', 'Project settings'].map((label) => ({ id: label, label, kind: 'Screen' }));

test('the palette finds by any word, and puts first what begins with it', () => {
  expect(matching(commands, 'set').map(({ label }) => label)).toEqual(['Project settings']);
  expect(matching(commands, 'screen me').map(({ label }) => label)).toEqual(['Members']);
  expect(matching(commands, 'nothing')).toEqual([]);
});
