import { SegmentedControl, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useScope } from '#api/scope.tsx';
import { useSession } from '#api/session.ts';
import { CodeBlock } from '#ui/copy.tsx';
import { Card } from '#ui/page.tsx';
import classes from './imports.module.css';

const HASH = '$2a$12$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW';

const EXAMPLES = {
  ndjson: JSON.stringify({
    email: 'ada@example.com',
    emailVerified: true,
    displayName: 'Ada Lovelace',
    passwordHash: HASH,
    roles: ['viewer'],
    metadata: { plan: 'pro' },
  }),
  csv: `email,emailVerified,displayName,passwordHash,roles,metadata
ada@example.com,true,Ada Lovelace,${HASH},viewer,"{""plan"":""pro""}"`,
};

/** An example import row to copy. */
export function ImportFormatHelp() {
  const [format, setFormat] = useState<keyof typeof EXAMPLES>('ndjson');
  const { environment } = useScope();
  const { addresses } = useSession();
  return (
    <Card
      title="File format"
      actions={
        <SegmentedControl
          size="xs"
          aria-label="Format of the example"
          data={[
            { value: 'ndjson', label: 'NDJSON' },
            { value: 'csv', label: 'CSV' },
          ]}
          value={format}
          onChange={setFormat}
        />
      }
    >
      <Stack gap="sm">
        <Text size="sm">
          {format === 'ndjson'
            ? 'One JSON object per line, one person each.'
            : 'The first line names the fields. Empty cells are ignored, roles are separated by spaces, metadata, customData and organizations are JSON.'}
        </Text>
        <div className={classes.example}>
          <CodeBlock code={EXAMPLES[format]} name="the example row" />
        </div>
        <Text size="sm" c="var(--lk-quiet)">
          Each row needs an <code>email</code>, <code>phone</code> or <code>username</code>; all other fields are
          optional. Hashes of Argon2, bcrypt, scrypt, Firebase, PBKDF2, Django, salted SHA and LDAP are accepted and
          replaced at the first sign-in.
        </Text>
        <Text size="sm">
          <a href={`${addresses[environment ?? 'test'].api}/reference`} target="_blank" rel="noreferrer">
            See all fields in the API reference
          </a>
        </Text>
      </Stack>
    </Card>
  );
}
