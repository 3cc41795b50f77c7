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

/** What a row of an import looks like, to copy and fill. */
export function ImportFormatHelp() {
  const [format, setFormat] = useState<keyof typeof EXAMPLES>('ndjson');
  const { environment } = useScope();
  const { addresses } = useSession();
  return (
    <Card
      title="What a file looks like"
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
            ? 'A JSON object on each line, a person each.'
            : 'The first line names the fields. Empty cells are left out, roles are separated by spaces, metadata and customData are JSON.'}
        </Text>
        <div className={classes.example}>
          <CodeBlock code={EXAMPLES[format]} name="the example row" />
        </div>
        <Text size="sm" c="var(--lk-quiet)">
          Each needs an <code>email</code>, <code>phone</code> or <code>username</code>; everything else may be left
          out. Hashes of Argon2, bcrypt, scrypt, Firebase, PBKDF2, Django, salted SHA and LDAP are known, and replaced
          at the first sign-in.
        </Text>
        <Text size="sm">
          <a href={`${addresses[environment ?? 'test'].api}/reference`} target="_blank" rel="noreferrer">
            All fields, in the API reference
          </a>
        </Text>
      </Stack>
    </Card>
  );
}
