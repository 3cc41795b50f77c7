import { expect, test } from 'vitest';
import { consumersIn } from './consumer-lines.ts';

const [first, second, third] = ['https://sp.example/1', 'https://sp.example/2', 'https://sp.example/3'];
const before = [
  { url: first, index: 0 },
  { url: second, index: 7 },
];

test('an address that is moved or edited keeps its index', () => {
  expect(consumersIn(`${second}\n${first}`, before)).toEqual(before.toReversed());
  expect(consumersIn(`${first}\n${third}`, before)).toEqual([before[0], { url: third, index: 7 }]);
});

test('no two addresses get the same index, wherever they are added', () => {
  const orders = [
    [third, first, second],
    [first, third, second],
    [first, second, third],
  ];
  for (const urls of orders) {
    const indexes = consumersIn(urls.join('\n'), before).map(({ index }) => index);
    expect(new Set(indexes).size, urls.join(' ')).toBe(3);
  }
});
