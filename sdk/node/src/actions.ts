import type { Options, Received } from './message.ts';
import { verifyWebhook, WebhookVerificationError } from './webhooks.ts';

/** The person of a call. `id` is null while the account does not exist. */
export type ActionPerson = {
  id: string | null;
  email: string | null;
  emailVerified: boolean;
  phone: string | null;
  phoneVerified: boolean;
  username: string | null;
  displayName: string | null;
  locale: string | null;
};

type Common = {
  actionId: string;
  occurredAt: string;
  /** A test from the console or the API: answer as always, and change nothing. */
  dryRun: boolean;
  workspaceId: string;
  projectId: string;
  environment: 'test' | 'production';
  /** Where the person's request came from. */
  request: { ip: string | null; userAgent: string | null; correlationId: string };
};

/** The body of each kind of call, by its moment. */
export type ActionCalls = {
  registration: Common & { moment: 'registration'; person: ActionPerson; entrance: string };
  sign_in: Common & {
    moment: 'sign_in';
    person: ActionPerson;
    entrance: string;
    organizationId: string | null;
    proof: { amr: string[]; acr: string; signInMethods: string[] };
  };
  token: Common & {
    moment: 'token';
    /** Null for the token of an application itself. */
    person: ActionPerson | null;
    /** Null for the access tokens of the sign-in API. */
    application: { id: string; clientId: string; name: string } | null;
    organizationId: string | null;
  };
  password: Common & {
    moment: 'password';
    identifier: { kind: 'email' | 'phone' | 'username'; value: string };
    password: string;
  };
  message: Common & {
    moment: 'message';
    message: { channel: 'email' | 'sms'; template: string; to: string; subject: string; text: string };
  };
};
export type ActionCall = ActionCalls[keyof ActionCalls];

/** `message` is shown to the person. */
export type ActionRefusal = { decision: 'refuse'; message?: string };

/** What each kind of call may be answered with. */
export type ActionResponses = {
  registration: { decision: 'allow' } | ActionRefusal;
  sign_in: { decision: 'allow' } | ActionRefusal;
  /** The names of claims are https addresses, such as `https://shop.example/plan`. */
  token: { decision: 'allow'; claims?: Record<string, unknown> };
  password:
    | {
        decision: 'allow';
        emailVerified?: boolean;
        profile?: { displayName?: string; givenName?: string; familyName?: string; locale?: string };
      }
    | ActionRefusal;
  message: { decision: 'allow'; subject?: string; text?: string } | ActionRefusal;
};

/** A function for each moment that this endpoint serves. */
export type ActionHandlers = {
  [Moment in keyof ActionCalls]?: (
    call: ActionCalls[Moment],
  ) => ActionResponses[Moment] | Promise<ActionResponses[Moment]>;
};

/**
 * Verifies the signature of a call (Standard Webhooks).
 *
 * @param received with the raw body: parsed and re-serialised JSON fails verification
 * @param secrets the action's secret, or several during a rotation
 * @throws WebhookVerificationError
 */
export async function verifyAction(
  received: Received,
  secrets: string | readonly string[],
  options: Options = {},
): Promise<ActionCall> {
  // The signature says that Latchkey made the body; its type is the contract.
  const call: unknown = await verifyWebhook(received, secrets, options);
  if (!isCall(call))
    throw new WebhookVerificationError('not_an_action', 'this is the delivery of a webhook, not the call of an action');
  return call;
}

function isCall(value: unknown): value is ActionCall {
  return typeof value === 'object' && value !== null && 'moment' in value && 'actionId' in value;
}

/**
 * Makes a function of `Request` and `Response` that answers calls: for Hono, Next.js route handlers, Deno, Bun and workers.
 *
 * ```js
 * export const POST = actionHandler(process.env.LATCHKEY_ACTION_SECRET, {
 *   sign_in: ({ person }) =>
 *     person.email?.endsWith('@rival.example')
 *       ? { decision: 'refuse', message: 'Please write to sales@shop.example.' }
 *       : { decision: 'allow' },
 *   token: async ({ person }) => ({ decision: 'allow', claims: { 'https://shop.example/plan': await planOf(person) } }),
 * });
 * ```
 *
 * @returns answers 401 to a call that Latchkey did not sign, and 404 to a moment without a function
 */
export function actionHandler(
  secrets: string | readonly string[],
  handlers: ActionHandlers,
  options: Options = {},
): (request: Request) => Promise<Response> {
  return async (request) => {
    const body = await request.text();
    try {
      const response = await respondToAction(
        await verifyAction({ body, headers: request.headers }, secrets, options),
        handlers,
      );
      return response ? Response.json(response) : new Response('no function for this moment', { status: 404 });
    } catch (error) {
      if (error instanceof WebhookVerificationError) return new Response(error.message, { status: 401 });
      throw error;
    }
  };
}

/**
 * Calls the function of a verified call, for servers with their own kind of request.
 * @returns its answer; undefined for a moment without a function
 */
export async function respondToAction(
  call: ActionCall,
  handlers: ActionHandlers,
): Promise<ActionResponses[keyof ActionResponses] | undefined> {
  switch (call.moment) {
    case 'registration':
      return handlers.registration?.(call);
    case 'sign_in':
      return handlers.sign_in?.(call);
    case 'token':
      return handlers.token?.(call);
    case 'password':
      return handlers.password?.(call);
    case 'message':
      return handlers.message?.(call);
    default:
      return undefined;
  }
}
