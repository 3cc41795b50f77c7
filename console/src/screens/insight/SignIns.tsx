import type { Insight as Figures } from '#api/records.ts';
import { useApi, useCan } from '#api/scope.tsx';
import { wayOf } from '#ui/methods.ts';
import { Split } from './Split.tsx';

/** Sign-ins by way and by application, each in a card. */
export function SignIns({ figures }: { figures: Figures }) {
  const applicationOf = useApplicationNames();
  return (
    <>
      <Split figures={figures} figure="sign_ins_by_way" title="Sign-ins by way" name={wayOf} term="amr" />
      <Split figures={figures} figure="sign_ins_by_application" title="Sign-ins by application" name={applicationOf} />
    </>
  );
}

/** The name of an application by its id; one that was removed is shown by its id. */
function useApplicationNames(): (id: string) => string {
  const { data } = useApi().useQuery(
    'get',
    '/console/v1/applications',
    { params: { query: { limit: 100 } } },
    { enabled: useCan('applications:read') },
  );
  const names = new Map(data?.items.map(({ id, name }) => [id, name]));
  return (id) => (id === 'unknown' ? 'Application not named' : (names.get(id) ?? id));
}
