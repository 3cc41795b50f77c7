import { Type } from 'typebox';
import { define, type EventData, text } from '#platform/event.ts';

const SetupLink = Type.Object({ organizationId: text, setupLinkId: text });
const setupLink = {
  organizationId: 'org_01kaz3w9hqf8p9n2m4v5x6y7z8',
  setupLinkId: 'slk_01kaz3w9hqf8p9n2m4v5x6y7z8',
};

export const events = {
  'organization.setup_link.created': define(
    'A set-up link of an organization was made. `tasks` are what can be set up with it.',
    Type.Object({ ...SetupLink.properties, tasks: Type.Array(text) }),
    { ...setupLink, tasks: ['domains', 'connection'] },
  ),
  'organization.setup_link.opened': define('A set-up link was opened in a browser.', SetupLink, setupLink),
  'organization.setup_link.completed': define(
    'The person with a set-up link says that they are done. The link works until it expires.',
    SetupLink,
    setupLink,
  ),
  'organization.setup_link.revoked': define('A set-up link was revoked.', SetupLink, setupLink),
};

declare module '#platform/event.ts' {
  interface Events extends EventData<typeof events> {}
}
