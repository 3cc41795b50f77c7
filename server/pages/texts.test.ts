import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { languages } from '#settings';
import { english, type TextId } from './language-en.ts';
import { speak } from './texts.ts';

const ids = Object.keys(english).filter((id): id is TextId => id in english);
const sample = {
  address: 'a@b.example',
  host: 'login.example.com',
  all: 4,
  application: 'App',
  count: 3,
  date: '1.5.26',
  hint: '••78',
  length: 15,
  minutes: 2,
  name: 'Ada',
  names: 'Wiki, CRM',
  organization: 'Acme',
  project: 'Shop',
  provider: 'Google',
  reason: 'Ticket 4711',
};

describe('the texts of the pages', () => {
  for (const language of languages) {
    test(`${language}: every text formats, uses the variables of the English one, and is translated`, () => {
      const say = speak(language);
      const variables = (text: string) =>
        [...text.matchAll(/\{(\w+)/g)]
          .map(([, name]) => name)
          .filter((name) => name !== 'in')
          .sort();
      let same = 0;
      for (const id of ids) {
        const said = say(id, sample);
        assert.ok(said.length > 0 && !/[{}]/.test(said), `${id}: ${said}`);
        assert.deepEqual(
          [...new Set(variables(speak(language)(id)))].filter((name) => name && name in sample),
          [...new Set(variables(english[id]))].filter((name) => name && name in sample),
          id,
        );
        if (said === speak('en')(id, sample)) same += 1;
      }
      assert.ok(language === 'en' || same < 8, `${same} texts are the English ones`);
    });
  }
});
