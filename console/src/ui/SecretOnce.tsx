import { Alert, Button } from '@mantine/core';
import { CodeBlock } from './copy.tsx';
import { Dialog, DialogButtons } from './dialog.tsx';

/** Shows a secret once; the dialog closes only after the person confirms that it is saved. */
export function SecretOnce({ title, secret, onClose }: { title: string; secret: string; onClose: () => unknown }) {
  return (
    <Dialog held title={title} onClose={() => undefined}>
      <Alert color="yellow" p="sm">
        Copy it to your secret store now. It can’t be shown again.
      </Alert>
      <CodeBlock code={secret} name="the secret" />
      <DialogButtons>
        <Button onClick={onClose}>I have saved it</Button>
      </DialogButtons>
    </Dialog>
  );
}
