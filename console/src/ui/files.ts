import { notifications } from '@mantine/notifications';
import { type SavedFile, saveFile } from '#api/files.ts';
import { problemOf } from '#api/problem.ts';
import { useScope } from '#api/scope.tsx';

/** Downloads an export of the current scope; a failure to start is shown. @returns whether it has started */
export function useSaveFile(): (file: SavedFile) => Promise<boolean> {
  const scope = useScope();
  return async (file) => {
    try {
      return await saveFile(scope, file);
    } catch (thrown) {
      const { title, detail } = problemOf(thrown);
      notifications.show({ title, message: detail, color: 'red' });
      return false;
    }
  };
}
