import { useApi } from '#api/scope.tsx';
import { useSession } from '#api/session.ts';
import { useHere } from './place.ts';

/** The name of the open project, else of the workspace. */
export function ProjectName() {
  const { workspace, project } = useHere();
  const { workspaces } = useSession();
  return project ? (
    <OneProject projectId={project} />
  ) : (
    <span>{workspaces.find(({ id }) => id === workspace)?.name}</span>
  );
}

function OneProject({ projectId }: { projectId: string }) {
  const { data } = useApi().useQuery('get', '/console/v1/projects/{projectId}', { params: { path: { projectId } } });
  return <span>{data?.name ?? ' '}</span>;
}
