import { Alert, Anchor, Button, NativeSelect, NumberInput, Text, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { ImpersonationOptions, ImpersonationTicket, Member } from '#api/records.ts';
import { useApi, useCan, useScope } from '#api/scope.tsx';
import { useSession } from '#api/session.ts';
import { useAt } from '#shell/place.ts';
import { useAction } from '#ui/action.ts';
import { CodeBlock } from '#ui/copy.tsx';
import { Dialog, DialogButtons, FormDialog, useFaults } from '#ui/dialog.tsx';
import { exactTime } from '#ui/moments.ts';
import { Loaded } from '#ui/states.tsx';
import { nameOf } from './members.ts';

type Props = { member: Member; onClose: () => void };

/** Asks why, for how long and through which application an operator acts as a member, and shows the ticket for it. */
export function ActAs({ member, onClose }: Props) {
  const options = useApi().useQuery('get', '/console/v1/impersonation');
  const [ticket, setTicket] = useState<{ command: string; issued: ImpersonationTicket } | null>(null);
  if (ticket) return <Ticket {...ticket} member={member} onClose={onClose} />;
  if (!options.data || options.data.maxMinutes === 0 || options.data.applications.length === 0)
    return (
      <Dialog title={`Act as ${nameOf(member)}`} onClose={onClose}>
        <Loaded query={options}>{(found) => <Impossible options={found} />}</Loaded>
      </Dialog>
    );
  return <Ask member={member} options={options.data} onClose={onClose} onTicket={setTicket} />;
}

function Impossible({ options }: { options: ImpersonationOptions }) {
  const at = useAt();
  const maySee = useCan('applications:read');
  if (options.maxMinutes === 0)
    return <Text size="sm">This project does not allow it: its limit for acting as a member is 0 minutes.</Text>;
  return (
    <Text size="sm">
      You act as a member through an application of this project, such as your support tool. It needs the setting “Let
      it act for people” and at least one API.{' '}
      {maySee && (
        <Anchor component={Link} to={at('/applications')} size="sm">
          Applications
        </Anchor>
      )}
    </Text>
  );
}

type AskProps = Props & {
  options: ImpersonationOptions;
  onTicket: (ticket: { command: string; issued: ImpersonationTicket }) => void;
};

const USUAL_MINUTES = 15;

function Ask({ member, options: { maxMinutes, applications }, onClose, onTicket }: AskProps) {
  const [reason, setReason] = useState('');
  const [minutes, setMinutes] = useState<string | number>(Math.min(USUAL_MINUTES, maxMinutes));
  const [clientId, setClientId] = useState(applications[0]?.clientId ?? '');
  const apis = applications.find((application) => application.clientId === clientId)?.apis ?? [];
  const [chosen, setApi] = useState('');
  const api = apis.includes(chosen) ? chosen : (apis[0] ?? '');
  const { faults, onProblem } = useFaults();
  const act = useAction(useApi().useMutation('post', '/console/v1/members/{memberId}/impersonate'));
  const { environment } = useScope();
  const { addresses } = useSession();
  const name = nameOf(member);
  const submit = async () => {
    const issued = await act.run(
      { params: { path: { memberId: member.id } }, body: { reason, minutes: Number(minutes), clientId } },
      { done: `You may act as ${name}`, change: `Act as ${name}`, onProblem },
    );
    const issuer = environment && addresses[environment].auth;
    if (issued && issuer) onTicket({ issued, command: commandFor({ issuer, clientId, api, ticket: issued.ticket }) });
  };
  return (
    <FormDialog title={`Act as ${name}`} action="Get a ticket" busy={act.busy} onSubmit={submit} onClose={onClose}>
      <TextInput
        required
        data-autofocus
        label="Reason"
        description="Mailed to the member, and kept in the audit log with your name."
        minLength={5}
        maxLength={200}
        value={reason}
        error={faults['reason']}
        onChange={({ currentTarget: { value } }) => setReason(value)}
      />
      <NumberInput
        required
        label="Minutes"
        description={`At most ${maxMinutes}.`}
        min={1}
        max={maxMinutes}
        allowDecimal={false}
        value={minutes}
        error={faults['minutes']}
        onChange={setMinutes}
      />
      <NativeSelect
        label="Application"
        description="Only this one can exchange the ticket, such as your support tool."
        data={applications.map((application) => ({ value: application.clientId, label: application.name }))}
        value={clientId}
        error={faults['clientId']}
        onChange={({ currentTarget: { value } }) => setClientId(value)}
      />
      <NativeSelect
        label="API"
        description="The API that its token is for."
        data={apis}
        value={api}
        onChange={({ currentTarget: { value } }) => setApi(value)}
      />
    </FormDialog>
  );
}

type TicketProps = Props & { command: string; issued: ImpersonationTicket };

function Ticket({ member, command, issued: { ticket, exchangeBy, endsAt }, onClose }: TicketProps) {
  return (
    <Dialog held size="lg" title={`Ticket to act as ${nameOf(member)}`} onClose={() => undefined}>
      <Alert color="yellow" p="sm">
        It is shown only once, works once, and only until {exactTime(exchangeBy)}.
      </Alert>
      <CodeBlock code={ticket} name="the ticket" />
      <Text size="sm">
        Paste it into the application, or exchange it yourself with the application’s secret. You act until{' '}
        {exactTime(endsAt)}.
      </Text>
      <CodeBlock code={command} name="the command" />
      <DialogButtons>
        <Button onClick={onClose}>Done</Button>
      </DialogButtons>
    </Dialog>
  );
}

type Exchange = { issuer: string; clientId: string; api: string; ticket: string };

function commandFor({ issuer, clientId, api, ticket }: Exchange): string {
  return `curl -X POST ${issuer}/connect/token \\
  -u "${clientId}:$CLIENT_SECRET" \\
  -d grant_type=urn:ietf:params:oauth:grant-type:token-exchange \\
  -d subject_token_type=urn:latchkey:params:oauth:token-type:impersonation-ticket \\
  -d subject_token=${ticket} \\
  --data-urlencode resource=${api}`;
}
