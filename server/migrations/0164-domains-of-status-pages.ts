/** A domain may be the address of a project's status page. */
export const up = `
-- Earlier versions: they bind no domain to a status page, and serve nothing at one.
alter table domain_bindings drop constraint domain_bindings_purpose_check;
-- Earlier versions: it allows more than the one that they know.
alter table domain_bindings add constraint domain_bindings_purpose_check check (purpose in ('auth', 'api', 'status'));
`;
