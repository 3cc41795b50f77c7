import { Button, Checkbox } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useRef } from 'react';
import { useCan, useScope } from '#api/scope.tsx';
import { useAsk } from '#ui/ask.tsx';
import { useSaveFile } from '#ui/files.ts';

/** Exports all members to a file after a confirmation. */
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
          The file contains the profiles of all members. The export is recorded in the audit log.
          {mayTakeHashes && (
            <Checkbox
              mt="sm"
              label="Include password hashes"
              description="Protect this file like the database: anyone who has it can try passwords against the hashes offline."
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
      notifications.show({ message: 'Downloading members.ndjson', color: 'green' });
  };
  return (
    <Button variant="default" onClick={save}>
      Export
    </Button>
  );
}
