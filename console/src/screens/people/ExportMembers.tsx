import { Button, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { saveFile } from '#api/files.ts';
import { problemOf } from '#api/problem.ts';
import { useScope } from '#api/scope.tsx';
import { useAsk } from '#ui/ask.tsx';

/** Has everybody's data saved as a file, after saying what is in it. */
export function ExportMembers() {
  const scope = useScope();
  const ask = useAsk();
  const save = async () => {
    const agreed = await ask({
      title: `Export all members of ${scope.environment}?`,
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
    try {
      const begun = await saveFile(scope, { path: '/members/export', dangerous: true });
      if (begun) notifications.show({ message: 'Your browser saves members.ndjson', color: 'green' });
    } catch (thrown) {
      const { title, detail } = problemOf(thrown);
      notifications.show({ title, message: detail, color: 'red' });
    }
  };
  return (
    <Button variant="default" onClick={save}>
      Export
    </Button>
  );
}
