/** The effect of a status update on components. */
export const up = `
-- [{ componentId, from, to }]: the shown status before and after the update. Null: written before this was recorded.
alter table status_updates add column affected jsonb;
`;
