import type { ReactNode } from 'react';
import { Button } from '../fields.tsx';
import { useSay } from '../texts/form-texts.ts';
import { Confirmed } from './rows.tsx';
import { Section, type SectionProps } from './section.tsx';

/** A copy of the data of the person, and the end of the account. */
export function DataSection({ account, change, isBusy }: SectionProps): ReactNode {
  const { say } = useSay();
  const download = () =>
    change(async (client) => {
      const { data } = await client.get('/v1/me/profile/export');
      save(new Blob([JSON.stringify(data, null, 2)], { type: 'application/json' }), 'my-data.json');
    });
  const erase = () =>
    change(async (client) => {
      await client.delete('/v1/me');
      // All sessions have ended; this page learns it so.
      await account.auth.signOut().catch(() => null);
    });
  return (
    <Section title="data">
      <p>{say('exportIntro')}</p>
      <Button disabled={isBusy} onClick={download}>
        {say('export')}
      </Button>
      <p>{say('eraseIntro')}</p>
      <Confirmed action={say('erase')} question={say('eraseAsk')} isBusy={isBusy} onConfirm={erase} />
    </Section>
  );
}

function save(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  const link = Object.assign(document.createElement('a'), { href: address, download: name });
  link.click();
  URL.revokeObjectURL(address);
}
