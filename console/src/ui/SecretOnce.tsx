import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { CodeBlock } from './copy.tsx';

/** Shows a secret the only time it can be seen; closes only by saying that it is kept. */
export function SecretOnce({ title, secret, onClose }: { title: string; secret: string; onClose: () => unknown }) {
  return (
    <Modal
      opened
      onClose={() => undefined}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      title={<Text fw={600}>{title}</Text>}
    >
      <Stack gap="md">
        <Alert color="yellow" p="sm">
          Copy it now to where your code reads its secrets. It is stored as a hash and can’t be shown again.
        </Alert>
        <CodeBlock code={secret} name="the secret" />
        <Group justify="flex-end">
          <Button onClick={onClose}>I have kept it</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
