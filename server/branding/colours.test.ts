import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { brandStyle, contrast, mailColours } from './colours.ts';

describe('a brand', () => {
  const none = { accentColor: null, backgroundColor: null, radius: null };

  test('has the contrast that WCAG defines', () => {
    assert.equal(contrast('#000000', '#ffffff'), 21);
    assert.equal(contrast('#777777', '#ffffff').toFixed(2), '4.48');
  });

  test('with too little contrast is corrected on buttons and links', () => {
    for (const accentColor of ['#ffff00', '#ffffff', '#000000', '#7fff00', '#ff69b4']) {
      const style = brandStyle({ ...none, accentColor });
      const [light = '', dark = ''] = /--accent:light-dark\((#\w{6}),(#\w{6})\)/.exec(style)?.slice(1) ?? [];
      assert.ok(contrast(light, '#ffffff') >= 4.5, `${accentColor} on light: ${light}`);
      assert.ok(contrast(dark, '#181c24') >= 4.5, `${accentColor} on dark: ${dark}`);
      const { accent, ink } = mailColours({ accentColor });
      assert.ok(contrast(accent, '#ffffff') >= 4.5 && contrast(accent, ink) >= 4.5, `${accentColor} in mails`);
    }
  });

  test('without colours changes nothing', () => {
    assert.equal(brandStyle(none), '');
  });
});
