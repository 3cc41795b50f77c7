import { Button, Checkbox } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useRef } from 'react';
import { useCan, useScope } from '#api/scope.tsx';
import { useAsk } from '#ui/ask.tsx';
import { useSaveFile } from '#ui/files.ts';

/** Has everybody's data saved as a file, after saying what is in it. */
export function ExportMembers() {
  const { environment } = useScope();
  const saveFile = useSaveFile();
  const ask = useAsk();
  const withHashes = useRef(false);
  const mayTakeHashes = useCan('members:credentials');
  const save = async () => {
    withHashes.current = false;
    const agreed = await ask({
      title: `Export all members of ${environment}?`,
      body: (
        <>
          The file holds everybody’s profile. The export is written down in the audit log.
          {mayTakeHashes && (
            <Checkbox
              mt="sm"
              label="Password hashes too"
              description="Keep such a file as you would keep the database: whoever has it can try passwords against it for as long as they like."
              onChange={(event) => {
                withHashes.current = event.currentTarget.checked;
              }}
            />
          )}
        </>
      ),
      action: 'Export members',
      danger: true,
    });
    if (!agreed) return;
    const query = withHashes.current ? { passwordHashes: 'true' } : {};
    if (await saveFile({ path: '/members/export', query, dangerous: true }))
      notifications.show({ message: 'Your browser saves members.ndjson', color: 'green' });
  };
  return (
    <Button variant="default" onClick={save}>
      Export
    </Button>
  );
}
