import { Button, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { loadSession, signInAddress } from '#api/session.ts';
import { onSignInNeeded, type SignInReason } from '#api/transport.ts';
import { Dialog, DialogButtons } from '#ui/dialog.tsx';

const SIGNED_IN = 'latchkey-console-signed-in';

type Waiting = { reason: SignInReason; answer: (signedIn: boolean) => void };

/**
 * Asks to sign in again without leaving the screen: the sign-in opens in a window of its own, and the calls that waited
 * are repeated once it is done.
 */
export function SignInAgain() {
  const [waiting, setWaiting] = useState<readonly Waiting[]>([]);
  useEffect(() => {
    onSignInNeeded((reason) => new Promise((answer) => setWaiting((before) => [...before, { reason, answer }])));
    return () => onSignInNeeded(() => Promise.resolve(false));
  }, []);
  useEffect(() => {
    const channel = new BroadcastChannel(SIGNED_IN);
    channel.onmessage = async () => {
      const session = await loadSession().catch(() => null);
      if (session) setWaiting((before) => answered(before, true));
    };
    return () => channel.close();
  }, []);
  const [first] = waiting;
  if (!first) return null;
  const stepUp = first.reason === 'step-up';
  return (
    <Dialog
      onClose={() => setWaiting(answered(waiting, false))}
      title={stepUp ? 'Confirm that it’s you' : 'Your session has ended'}
    >
      <Text size="sm">
        {stepUp
          ? 'This is a dangerous change. Sign in once more, and it goes on by itself.'
          : 'Sign in again in a new window. Nothing you typed is lost; what you were doing goes on by itself.'}
      </Text>
      <DialogButtons>
        <Button variant="default" onClick={() => setWaiting(answered(waiting, false))}>
          Cancel
        </Button>
        <Button
          data-autofocus
          onClick={() =>
            window.open(signInAddress('/console/signed-in', stepUp), 'latchkey-sign-in', 'popup,width=520,height=720')
          }
        >
          Sign in
        </Button>
      </DialogButtons>
    </Dialog>
  );
}

function answered(waiting: readonly Waiting[], signedIn: boolean): [] {
  for (const { answer } of waiting) answer(signedIn);
  return [];
}

/** The page the new window ends on: it tells the others and closes. */
export function SignedIn() {
  useEffect(() => {
    const channel = new BroadcastChannel(SIGNED_IN);
    channel.postMessage('signed-in');
    channel.close();
    window.close();
  }, []);
  return <Text p="xl">You are signed in. You can close this window.</Text>;
}
