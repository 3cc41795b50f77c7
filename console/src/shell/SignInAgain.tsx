import { Button, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { knownSession, loadSession, signInAgainAddress } from '#api/session.ts';
import { onSignInNeeded, type SignInReason } from '#api/transport.ts';
import { Dialog, DialogButtons } from '#ui/dialog.tsx';

const SIGNED_IN = 'latchkey-console-signed-in';

type Waiting = { reason: SignInReason; resolve: (signedIn: boolean) => void };

/**
 * Asks the person to sign in again without leaving the screen. The sign-in opens in a separate window, and the waiting
 * requests are repeated afterwards.
 */
export function SignInAgain() {
  const [waiting, setWaiting] = useState<readonly Waiting[]>([]);
  useEffect(() => {
    onSignInNeeded((reason) => new Promise((resolve) => setWaiting((before) => [...before, { reason, resolve }])));
    return () => onSignInNeeded(() => Promise.resolve(false));
  }, []);
  useEffect(() => {
    const channel = new BroadcastChannel(SIGNED_IN);
    channel.onmessage = async () => {
      const session = await loadSession().catch(() => null);
      if (session) setWaiting((before) => resolveAll(before, true));
    };
    return () => channel.close();
  }, []);
  const [first] = waiting;
  if (!first) return null;
  const stepUp = first.reason === 'step-up';
  const email = knownSession()?.operator.email;
  const who = email ? ` as ${email}` : '';
  return (
    <Dialog
      onClose={() => setWaiting(resolveAll(waiting, false))}
      title={stepUp ? 'Confirm that it’s you' : 'Your session has expired'}
    >
      <Text size="sm">
        {stepUp
          ? `This change needs a recent sign-in. Sign in again${who}, and it continues automatically.`
          : `Sign in again${who} in a new window. Your input is kept, and the action continues automatically.`}
      </Text>
      <DialogButtons>
        <Button variant="default" onClick={() => setWaiting(resolveAll(waiting, false))}>
          Cancel
        </Button>
        <Button
          data-autofocus
          onClick={() => window.open(signInAgainAddress(stepUp), 'latchkey-sign-in', 'popup,width=520,height=720')}
        >
          Sign in
        </Button>
      </DialogButtons>
    </Dialog>
  );
}

function resolveAll(waiting: readonly Waiting[], signedIn: boolean): [] {
  for (const { resolve } of waiting) resolve(signedIn);
  return [];
}

/** The final page of the sign-in window: it notifies the other windows and closes. */
export function SignedIn() {
  useEffect(() => {
    const channel = new BroadcastChannel(SIGNED_IN);
    channel.postMessage('signed-in');
    channel.close();
    window.close();
  }, []);
  return <Text p="xl">You are signed in. You can close this window.</Text>;
}
