import { Alert, Button } from '@mantine/core';
import { CodeBlock } from './copy.tsx';
import { Dialog, DialogButtons } from './dialog.tsx';

/** Shows a secret the only time it can be seen; closes only by saying that it is kept. */
export function SecretOnce({ title, secret, onClose }: { title: string; secret: string; onClose: () => unknown }) {
  return (
    <Dialog held title={title} onClose={() => undefined}>
      <Alert color="yellow" p="sm">
        Copy it now to where your code reads its secrets. It is stored as a hash and can’t be shown again.
      </Alert>
      <CodeBlock code={secret} name="the secret" />
      <DialogButtons>
        <Button onClick={onClose}>I have kept it</Button>
      </DialogButtons>
    </Dialog>
  );
}
