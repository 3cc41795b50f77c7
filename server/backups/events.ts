import { Type } from 'typebox';
import { define, type EventData, text } from '#platform/event.ts';

const workspace = { workspaceId: 'wrk_01kaz3w9hqf8p9n2m4v5x6y7z8', name: 'Acme' };

export const events = {
  'workspace.exported': define(
    'A workspace was written into a file for another installation. `closed`: it was closed before, so nothing is missing in the file.',
    Type.Object({ workspaceId: text, name: text, closed: Type.Boolean(), rows: Type.Integer() }),
    { ...workspace, closed: true, rows: 48_213 },
  ),
  'workspace.imported': define(
    'A workspace came from another installation, as it was there at `exportedAt`.',
    Type.Object({ workspaceId: text, name: text, exportedAt: text, rows: Type.Integer() }),
    { ...workspace, exportedAt: '2026-04-01T00:00:00.000Z', rows: 48_213 },
  ),
};

declare module '#platform/event.ts' {
  interface Events extends EventData<typeof events> {}
}
