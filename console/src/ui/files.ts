import { notifications } from '@mantine/notifications';
import { type SavedFile, saveFile } from '#api/files.ts';
import { problemOf } from '#api/problem.ts';
import { useScope } from '#api/scope.tsx';

/** Has the browser save an export of where the operator is; a failure to begin is told. @returns whether it has begun */
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
