import { expect, test } from 'vitest';
import { matching } from './commands.ts';

const commands = ['Members', 'Webhooks', 'Project settings'].map((label) => ({ id: label, label, kind: 'Screen' }));

test('the palette matches any word, and lists labels that start with it first', () => {
  expect(matching(commands, 'set').map(({ label }) => label)).toEqual(['Project settings']);
  expect(matching(commands, 'screen me').map(({ label }) => label)).toEqual(['Members']);
  expect(matching(commands, 'nothing')).toEqual([]);
});
