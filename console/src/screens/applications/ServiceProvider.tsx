import { Button, Checkbox, NumberInput, Select, Stack, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Application } from '#api/records.ts';
import { useApi } from '#api/scope.tsx';
import { useAction } from '#ui/action.ts';
import { Badge } from '#ui/badge.tsx';
import { CodeBlock, Copy } from '#ui/copy.tsx';
import { Fields, type RecordForm } from '#ui/form.tsx';
import { Card, Facts } from '#ui/page.tsx';
import { Loaded } from '#ui/states.tsx';
import { Table } from '#ui/table.tsx';
import { Time } from '#ui/time.tsx';
import { attributesIn, linesOfAttributes } from './attribute-lines.ts';
import { consumersIn } from './consumer-lines.ts';

type Saml = NonNullable<Application['saml']>;
type Props = { id: string; canWrite: boolean };

/** What the service provider needs from this side. */
export function OwnSide({ id }: Pick<Props, 'id'>) {
  const own = useApi().useQuery('get', '/console/v1/saml/applications/{samlApplicationId}', {
    params: { path: { samlApplicationId: id } },
  });
  return (
    <Card title="For the service provider" about="Give it the metadata address, or copy the fields.">
      <Loaded query={own}>
        {({ entityId, signOnUrl, logoutUrl, metadataUrl, startUrl, keys }) => (
          <Stack gap="md">
            <Facts
              facts={[
                ['Metadata address', <Copy key="metadata" value={metadataUrl} />],
                ['Entity id', <Copy key="entity" value={entityId} />],
                ['Sign-on address', <Copy key="sign-on" value={signOnUrl} />],
                ['Logout address', <Copy key="logout" value={logoutUrl} />],
                ...(startUrl === null ? [] : ([['Start address', <Copy key="start" value={startUrl} />]] as const)),
              ]}
            />
            <CodeBlock code={keys.find(({ signs }) => signs)?.certificate ?? ''} name="the certificate" />
          </Stack>
        )}
      </Loaded>
    </Card>
  );
}

/** The keys of the project that sign assertions. */
export function SamlKeys({ canWrite }: Pick<Props, 'canWrite'>) {
  const api = useApi();
  const keys = api.useQuery('get', '/console/v1/saml/keys');
  const add = useAction(api.useMutation('post', '/console/v1/saml/keys'));
  const activate = useAction(api.useMutation('post', '/console/v1/saml/keys/{keyId}/activate'));
  const remove = useAction(api.useMutation('delete', '/console/v1/saml/keys/{keyId}'));
  const path = (keyId: string) => ({ params: { path: { keyId } } });
  const question = (title: string, body: string, action: string) => ({ title, body, action, danger: true });
  return (
    <Card
      flush
      title="Signing keys"
      about="They belong to the project. To rotate: add a key, let every service provider read the metadata again, let the new key sign, then remove the old one."
      actions={
        canWrite && (
          <Button
            variant="default"
            size="compact-sm"
            loading={add.busy}
            onClick={() => add.run({}, { done: 'Key added', change: 'Add key' })}
          >
            Add key
          </Button>
        )
      }
    >
      <Loaded query={keys}>
        {({ items }) => (
          <Table
            label="Signing keys"
            rows={items}
            keyOf={({ id }) => id}
            empty="No keys"
            columns={[
              { name: 'Fingerprint', short: true, cell: ({ fingerprint }) => <code>{fingerprint.slice(0, 11)}…</code> },
              { name: 'State', cell: ({ signs }) => (signs ? <Badge tone="good">Signs</Badge> : 'In the metadata') },
              { name: 'Added', wide: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
              { name: 'Valid until', wide: true, cell: ({ validUntil }) => <Time at={validUntil} /> },
              {
                name: '',
                align: 'right',
                cell: ({ id, signs, fingerprint }) =>
                  canWrite &&
                  !signs && (
                    <>
                      <Button
                        variant="subtle"
                        size="compact-xs"
                        aria-label={`Let it sign: the key ${fingerprint.slice(0, 11)}`}
                        onClick={() =>
                          activate.run(path(id), {
                            done: 'The key signs now',
                            question: question(
                              'Let this key sign?',
                              'Service providers that don’t have its certificate refuse sign-ins from now on.',
                              'Let it sign',
                            ),
                          })
                        }
                      >
                        Let it sign
                      </Button>
                      <Button
                        variant="subtle"
                        color="gray"
                        size="compact-xs"
                        aria-label={`Remove the key ${fingerprint.slice(0, 11)}`}
                        onClick={() =>
                          remove.run(path(id), {
                            done: 'Key removed',
                            question: question('Remove this key?', 'It leaves the metadata immediately.', 'Remove'),
                          })
                        }
                      >
                        Remove
                      </Button>
                    </>
                  ),
              },
            ]}
          />
        )}
      </Loaded>
    </Card>
  );
}

const NAME_IDS = [
  { value: 'persistent', label: 'Persistent: an identifier that no other application sees' },
  { value: 'emailAddress', label: 'Verified email address' },
  { value: 'transient', label: 'Transient: another one in each session' },
  { value: 'unspecified', label: 'Unspecified: the id of the user' },
] as const;
const SIGNED = [
  { value: 'both', label: 'The assertion and the response' },
  { value: 'assertion', label: 'The assertion' },
  { value: 'response', label: 'The response' },
] as const;

/** The settings of an application by SAML. */
export function ServiceProvider({ form, canWrite }: { form: RecordForm<Application>; canWrite: boolean }) {
  const { values, errorIn, set } = form;
  const { saml } = values;
  if (!saml) return null;
  const change = (changes: Partial<Saml>) => set({ saml: { ...saml, ...changes } });
  return (
    <Card split title="Service provider">
      <Fields canWrite={canWrite}>
        <TextInput
          label="Entity id"
          required
          value={saml.entityId}
          error={errorIn('saml.entityId')}
          onChange={(event) => change({ entityId: event.currentTarget.value })}
        />
        <Textarea
          label="Assertion consumer services"
          description="One address per line, exactly as the service provider sends them. The first is the default."
          autosize
          value={saml.consumers.map(({ url }) => url).join('\n')}
          error={errorIn('saml.consumers')}
          onChange={(event) => change({ consumers: consumersIn(event.currentTarget.value, saml.consumers) })}
        />
        <Select
          label="Name of the person (NameID)"
          allowDeselect={false}
          data={NAME_IDS}
          value={saml.nameIdFormat}
          onChange={(nameIdFormat) => nameIdFormat && change({ nameIdFormat })}
        />
        <Attributes
          attributes={saml.attributes}
          fault={errorIn('saml.attributes')}
          onChange={(attributes) => change({ attributes })}
        />
        <Select
          label="Signed"
          allowDeselect={false}
          data={SIGNED}
          value={saml.sign}
          onChange={(sign) => sign && change({ sign })}
        />
        <Logout logout={saml.logout} fault={errorIn('saml.logout')} onChange={(logout) => change({ logout })} />
        <NumberInput
          label="Length of sessions there, in seconds"
          description="Empty: the service provider decides. It never hears of a session that an administrator ends here."
          min={60}
          max={365 * 86_400}
          value={saml.sessionSeconds ?? ''}
          error={errorIn('saml.sessionSeconds')}
          onChange={(seconds) => change({ sessionSeconds: typeof seconds === 'number' ? seconds : null })}
        />
        <Checkbox
          label="Require signed requests"
          description="Needs a certificate of the service provider, which its metadata have."
          checked={saml.requireSignedRequests}
          error={errorIn('saml.requireSignedRequests')}
          onChange={(event) => change({ requireSignedRequests: event.currentTarget.checked })}
        />
        <Checkbox
          label="Encrypt assertions"
          description="Needs an encryption certificate of the service provider, which its metadata have."
          checked={saml.encryptAssertions}
          error={errorIn('saml.encryptAssertions')}
          onChange={(event) => change({ encryptAssertions: event.currentTarget.checked })}
        />
        <Checkbox
          label="Sign-ins may begin here"
          description="At the start address. The service provider can’t tell whether the person wanted it."
          checked={saml.idpInitiated}
          onChange={(event) => change({ idpInitiated: event.currentTarget.checked })}
        />
      </Fields>
    </Card>
  );
}

const BINDINGS = [
  { value: 'redirect', label: 'HTTP-Redirect' },
  { value: 'post', label: 'HTTP-POST' },
] as const;

type LogoutProps = {
  logout: Saml['logout'];
  /** The server's. */
  fault: string | undefined;
  onChange: (logout: Saml['logout']) => void;
};

/** Where the service provider takes part in single logout. */
function Logout({ logout, fault, onChange }: LogoutProps) {
  const write = (url: string) => onChange(url === '' ? null : { binding: 'redirect', ...logout, url });
  return (
    <>
      <TextInput
        type="url"
        label="Logout address"
        description="Where the service provider takes part in single logout. Empty: it does not."
        value={logout?.url ?? ''}
        error={fault}
        onChange={(event) => write(event.currentTarget.value)}
      />
      {logout && (
        <Select
          label="Logout messages"
          allowDeselect={false}
          data={BINDINGS}
          value={logout.binding}
          onChange={(binding) => binding && onChange({ ...logout, binding })}
        />
      )}
    </>
  );
}

type AttributesProps = {
  attributes: Saml['attributes'];
  /** The server's. */
  fault: string | undefined;
  onChange: (attributes: Saml['attributes']) => void;
};

function Attributes({ attributes, fault, onChange }: AttributesProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const read = typed === null ? attributes : attributesIn(typed);
  return (
    <Textarea
      label="Attributes"
      description="One per line: the claim, and its name at the service provider. Email addresses only when they are verified."
      placeholder="email = mail"
      autosize
      value={typed ?? linesOfAttributes(attributes)}
      error={read === null ? 'Each line needs a known claim, “=” and a name.' : fault}
      onChange={({ currentTarget: { value } }) => {
        setTyped(value);
        const known = attributesIn(value);
        if (known) onChange(known);
      }}
      onBlur={() => read && setTyped(null)}
    />
  );
}
