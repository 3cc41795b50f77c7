import { Button, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useScope } from '#api/scope.tsx';
import { useAsk } from '#ui/ask.tsx';
import { useSaveFile } from '#ui/files.ts';

/** Has everybody's data saved as a file, after saying what is in it. */
export function ExportMembers() {
  const { environment } = useScope();
  const saveFile = useSaveFile();
  const ask = useAsk();
  const save = async () => {
    const agreed = await ask({
      title: `Export all members of ${environment}?`,
      body: (
        <>
          The file holds everybody’s profile <b>and password hash</b>. Keep it as you would keep the database: whoever
          has it can try passwords against it for as long as they like.
          <Text size="sm" mt="xs">
            The export is written down in the audit log.
          </Text>
        </>
      ),
      action: 'Export with hashes',
      danger: true,
    });
    if (!agreed) return;
    if (await saveFile({ path: '/members/export', dangerous: true }))
      notifications.show({ message: 'Your browser saves members.ndjson', color: 'green' });
  };
  return (
    <Button variant="default" onClick={save}>
      Export
    </Button>
  );
}
