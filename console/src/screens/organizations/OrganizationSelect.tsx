import { useApi } from '#api/scope.tsx';
import { SearchSelect, type SearchSelectProps } from '#ui/SearchSelect.tsx';

function useOrganizations(q: string) {
  const { data } = useApi().useQuery(
    'get',
    '/console/v1/organizations',
    { params: { query: { limit: 20, ...(q && { q }) } } },
    { placeholderData: (before) => before },
  );
  return (data?.items ?? []).map(({ id, name, slug }) => ({
    value: id,
    label: slug === null ? name : `${name} · ${slug}`,
  }));
}

/** Chooses an organization of the project, or none; it is searched for by name or slug. */
export function OrganizationSelect(props: SearchSelectProps) {
  return (
    <SearchSelect
      {...props}
      optional
      useFound={useOrganizations}
      placeholder="All organizations"
      nothingFound="No organizations match"
    />
  );
}
