/** What an event is counted as beside its data; the statement that numbers the event empties it. */
export const up = 'alter table events add column counts jsonb';
