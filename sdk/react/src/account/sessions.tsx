import type { ReactNode } from 'react';
import { useTexts } from '../provider.tsx';
import { useSay } from '../texts/form-texts.ts';
import { Confirmed, dateOf, Row } from './rows.tsx';
import { Section, type SectionProps } from './section.tsx';

/** The devices that the person is signed in on. */
export function SessionsSection({ data: { security }, change, isBusy }: SectionProps): ReactNode {
  const { say, language } = useSay();
  const { texts } = useTexts();
  const { sessions } = security;
  return (
    <Section title="sessions">
      <ul className="latchkey-list">
        {sessions.map(({ id, current, userAgent, ip, lastSeenAt }) => {
          const name = deviceOf(userAgent);
          const note = [
            current ? say('thisDevice') : say('lastSeen', { date: dateOf(lastSeenAt, language) }),
            ...(ip === null ? [] : [ip]),
          ].join(' · ');
          return (
            <Row key={id} title={name} note={note}>
              {!current && (
                <Confirmed
                  action={texts.signOut}
                  of={`${name}, ${note}`}
                  question={say('askSession')}
                  isBusy={isBusy}
                  onConfirm={() =>
                    change((client) =>
                      client.delete('/v1/me/security/sessions/{sessionId}', { path: { sessionId: id } }),
                    )
                  }
                />
              )}
            </Row>
          );
        })}
      </ul>
      {sessions.length > 1 && (
        <Confirmed
          action={say('endOthers')}
          question={say('askOthers')}
          isBusy={isBusy}
          onConfirm={() => change((client) => client.delete('/v1/me/security/sessions'))}
        />
      )}
    </Section>
  );
}

const BROWSERS: [pattern: RegExp, name: string][] = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrome\//, 'Chrome'],
  [/Safari\//, 'Safari'],
];
const SYSTEMS: [pattern: RegExp, name: string][] = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
];

function deviceOf(userAgent: string | null): string {
  const found = [BROWSERS, SYSTEMS].flatMap(
    (list) => list.find(([pattern]) => pattern.test(userAgent ?? ''))?.[1] ?? [],
  );
  return found.length > 0 ? found.join(', ') : (userAgent ?? '?');
}
