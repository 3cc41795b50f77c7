import { useApi } from '#api/scope.tsx';
import { SearchSelect, type SearchSelectProps } from '#ui/SearchSelect.tsx';
import { nameOf } from './members.ts';

function useMembers(q: string) {
  const { data } = useApi().useQuery(
    'get',
    '/console/v1/members',
    { params: { query: { limit: 20, ...(q && { q }) } } },
    { placeholderData: (before) => before },
  );
  return (data?.items ?? []).map((member) => ({
    value: member.id,
    label: member.email && member.displayName ? `${member.displayName} · ${member.email}` : nameOf(member),
  }));
}

/** Chooses a member of the project, who is searched for by name or address. */
export function MemberSelect(props: SearchSelectProps) {
  return (
    <SearchSelect {...props} useFound={useMembers} placeholder="Name, email or phone" nothingFound="No members match" />
  );
}
