import { Type } from 'typebox';
import { define, type EventData, text } from '#platform/event.ts';

const messageId = 'msg_01kaz3w9hqf8p9n2m4v5x6y7z8';

export const events = {
  'sms.sent': define(
    'A carrier accepted a text message; in the test environment no carrier is involved.',
    Type.Object({ messageId: text, segments: Type.Integer(), provider: text }),
    { messageId, segments: 1, provider: 'twilio' },
  ),
  'sms.delivered': define('A text message reached its phone.', Type.Object({ messageId: text, provider: text }), {
    messageId,
    provider: 'twilio',
  }),
  'sms.failed': define(
    'A text message was not sent or not delivered.',
    Type.Object({ messageId: text, reason: text }),
    { messageId, reason: 'undelivered: 30005' },
  ),
};

declare module '#platform/event.ts' {
  interface Events extends EventData<typeof events> {}
}
