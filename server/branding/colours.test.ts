import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { contrast } from '#platform/contrast.ts';
import { brandStyle, mailStyle } from './colours.ts';

describe('a brand', () => {
  const none = { accentColor: null, backgroundColor: null, radius: null };

  test('has the contrast that WCAG defines', () => {
    assert.equal(contrast('#000000', '#ffffff'), 21);
    assert.equal(contrast('#777777', '#ffffff').toFixed(2), '4.48');
  });

  test('keeps its colour on buttons; ink, links and edges are readable', () => {
    for (const accentColor of [
      '#ffff00',
      '#ffffff',
      '#000000',
      '#7fff00',
      '#ff69b4',
      '#777777',
      '#767676',
      '#181c24',
    ]) {
      const style = brandStyle({ ...none, accentColor });
      assert.ok(style.includes(`--accent:${accentColor};`), style);
      const [, ink = ''] = /--ink:(#\w{6})/.exec(style) ?? [];
      assert.ok(contrast(ink, accentColor) >= 4.5, `${ink} on ${accentColor}`);
      for (const [name, least] of [
        ['link', 4.5],
        ['edge', 3],
      ] as const) {
        const [light = '', dark = ''] =
          new RegExp(`--${name}:light-dark\\((#\\w{6}),(#\\w{6})\\)`).exec(style)?.slice(1) ?? [];
        assert.ok(contrast(light, '#f4f5f7') >= least, `${name} of ${accentColor} on light: ${light}`);
        assert.ok(contrast(dark, '#181c24') >= least, `${name} of ${accentColor} on dark: ${dark}`);
      }
      const mail = mailStyle({ accentColor });
      assert.equal(mail.accent, accentColor);
      assert.ok(
        contrast(mail.accent, mail.ink) >= 4.5 && contrast(mail.edge, '#ffffff') >= 3,
        `${accentColor} in mails`,
      );
    }
  });

  test('without colours changes nothing', () => {
    assert.equal(brandStyle(none), '');
    assert.match(brandStyle({ ...none, font: 'serif' }), /^:root\{--font:Charter,.*,serif\}$/);
  });
});
