import type { ReactNode } from 'react';
import { Branded } from '../brand.tsx';
import { explain } from '../faults.ts';
import { Fault } from '../fields.tsx';
import { useSay } from '../texts/form-texts.ts';
import { Contact } from './contact.tsx';
import { DataSection } from './data.tsx';
import { FactorsSection } from './factors.tsx';
import { LinkedSection } from './linked.tsx';
import { OrganizationsSection } from './memberships.tsx';
import { PasskeysSection } from './passkeys.tsx';
import { PasswordSection, ProfileSection } from './profile.tsx';
import { ProofDialog } from './proof-dialog.tsx';
import type { SectionProps } from './section.tsx';
import { SessionsSection } from './sessions.tsx';
import { useAccount } from './use-account.ts';

/** What each kind of fault is called here. */
const INSTEAD = { ALREADY_EXISTS: 'fault.taken', INVALID_CREDENTIALS: 'fault.currentPassword' } as const;

/**
 * The account of the person who is signed in: profile, addresses, password, passkeys, second factors, sessions, organizations, data. It asks for
 * another proof where Latchkey does.
 */
export function AccountPanel(): ReactNode {
  const account = useAccount();
  const { methods, data, error, proof, isBusy } = account;
  const { say } = useSay();
  const fault = error === null ? null : explain(error, say, { project: methods?.projectName ?? '', instead: INSTEAD });
  return (
    <Branded methods={methods} className="latchkey-account">
      <h2>{say('accountTitle')}</h2>
      <Fault>{fault}</Fault>
      {data ? (
        <div aria-busy={isBusy} className="latchkey-sections">
          <Sections {...account} data={data} />
        </div>
      ) : (
        fault === null && <p>{say('working')}</p>
      )}
      {proof && data && <ProofDialog pending={proof} {...account} data={data} />}
    </Branded>
  );
}

function Sections(props: SectionProps): ReactNode {
  return (
    <>
      <ProfileSection {...props} />
      <Contact {...props} />
      <PasswordSection {...props} />
      <PasskeysSection {...props} />
      {props.methods?.mfa !== 'off' && <FactorsSection {...props} />}
      <SessionsSection {...props} />
      <LinkedSection {...props} />
      <OrganizationsSection {...props} />
      <DataSection {...props} />
    </>
  );
}
