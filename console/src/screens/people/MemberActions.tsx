import { ActionIcon, Button, Menu } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Member } from '#api/records.ts';
import { useApi } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { useAction } from '#ui/action.ts';
import { BlockButton } from '#ui/BlockButton.tsx';
import { CodeBlock } from '#ui/copy.tsx';
import { Dialog } from '#ui/dialog.tsx';
import { MoreIcon } from '#ui/icons.ts';
import { RemoveButton } from '#ui/RemoveButton.tsx';
import { nameOf } from './members.ts';

type Props = { member: Member };

/** What an operator who may change members does with one. */
export function MemberActions({ member }: Props) {
  const api = useApi();
  const at = useAt();
  const init = { params: { path: { memberId: member.id } } };
  const name = nameOf(member);
  return (
    <>
      <Button component={Link} to={at(`/members/${member.id}/edit`)}>
        Edit
      </Button>
      <BlockButton
        name={name}
        blocked={member.status === 'blocked'}
        body="Their sessions in this project end immediately, and they can’t sign in to it until they are unblocked."
        blocking={api.useMutation('post', '/console/v1/members/{memberId}/block')}
        unblocking={api.useMutation('post', '/console/v1/members/{memberId}/unblock')}
        init={init}
      />
      <RemoveButton
        name={name}
        body="They lose access to this project and their roles immediately. This can’t be undone."
        mutation={api.useMutation('delete', '/console/v1/members/{memberId}')}
        init={init}
        back={at('/members')}
      />
      <More member={member} />
    </>
  );
}

function More({ member }: Props) {
  const api = useApi();
  const [raw, setRaw] = useState(false);
  const password = useAction(api.useMutation('post', '/console/v1/members/{memberId}/reset-password'));
  const factors = useAction(api.useMutation('post', '/console/v1/members/{memberId}/reset-mfa'));
  const proof = useAction(api.useMutation('post', '/console/v1/members/{memberId}/send-verification'));
  const init = { params: { path: { memberId: member.id } } };
  const name = nameOf(member);
  const { email, emailVerified } = member;
  const resetPassword = () =>
    password.run(init, {
      done: `Password reset sent to ${email}`,
      question: {
        title: `Send ${name} a password reset?`,
        body: 'Their password stays valid until they choose a new one.',
        action: 'Send',
      },
    });
  const resetFactors = () =>
    factors.run(init, {
      done: 'Second factors removed',
      question: {
        title: `Remove the second factors of ${name}?`,
        body: 'They sign in without one until they set one up again, or until the policy requires it.',
        action: 'Remove',
        danger: true,
        typeName: name,
      },
    });
  return (
    <>
      <Menu position="bottom-end" withinPortal={false}>
        <Menu.Target>
          <ActionIcon variant="default" size={30} aria-label="More actions">
            <MoreIcon size={16} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {email && <Menu.Item onClick={resetPassword}>Reset password</Menu.Item>}
          {email && !emailVerified && (
            <Menu.Item
              onClick={() => proof.run(init, { done: `Verification sent to ${email}`, change: 'Send verification' })}
            >
              Send verification
            </Menu.Item>
          )}
          {member.mfaEnabled && <Menu.Item onClick={resetFactors}>Reset second factors</Menu.Item>}
          <Menu.Item onClick={() => setRaw(true)}>Show JSON</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {raw && (
        <Dialog size="lg" title={`JSON of ${name}`} onClose={() => setRaw(false)}>
          <CodeBlock code={JSON.stringify(member, null, 2)} name="the JSON" />
        </Dialog>
      )}
    </>
  );
}
