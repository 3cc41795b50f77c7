/** People decline invitations. Earlier versions see these as revoked, because `revoked_at` is set with it. */
export const up = 'alter table invitations add column declined_at timestamptz';
