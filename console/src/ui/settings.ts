import type { Settings } from '#api/records.ts';
import { useApi } from '#api/scope.tsx';
import { type RecordForm, useRecordForm } from './form.tsx';

/** Edits the settings of the project's environment. */
export function useSettingsForm(settings: Settings): RecordForm<Settings> {
  const api = useApi();
  const change = api.useMutation('patch', '/console/v1/settings');
  const query = api.useQuery('get', '/console/v1/settings');
  return useRecordForm({
    record: settings,
    path: '/console/v1/settings',
    save: {
      isPending: change.isPending,
      mutateAsync: ({ changes, headers }) => change.mutateAsync({ body: changes, headers }),
    },
    reread: query.refetch,
    done: 'Settings saved',
  });
}
