/**
 * Projects ask for the identifier first unless they say otherwise. Those that exist keep the page that people know, so
 * they say so from now on.
 */
export const up = `
update project_environments
  set settings = settings || '{"signInLayout": "combined"}'
  where not settings ? 'signInLayout';
`;
