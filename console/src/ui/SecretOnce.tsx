import { Alert, Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { CodeBlock } from './copy.tsx';
import { Dialog, DialogButtons } from './dialog.tsx';

const TO_STORE = 'Copy it to your secret store now. It can’t be shown again.';

type Props = {
  title: string;
  /** What to do with it. */
  about?: string;
  secret: string;
  /** Where else the secret stands, such as a file to copy. */
  children?: ReactNode;
  onClose: () => unknown;
};

/** Shows a secret once; the dialog closes only after the person confirms that it is saved. */
export function SecretOnce({ title, about = TO_STORE, secret, children, onClose }: Props) {
  return (
    <Dialog held title={title} onClose={() => undefined}>
      <Alert color="yellow" p="sm">
        {about}
      </Alert>
      <CodeBlock wrapped code={secret} name="the secret" />
      {children}
      <DialogButtons>
        <Button onClick={onClose}>I have saved it</Button>
      </DialogButtons>
    </Dialog>
  );
}
