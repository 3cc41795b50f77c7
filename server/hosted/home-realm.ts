import { discoverConnection } from '#connections';
import type { Reply } from '#platform/http.ts';
import { type Flow, goTo } from './flow.ts';

/**
 * Sends a person to the connection of their organization: by the address that they typed, or by what the application's
 * request says about them.
 * @returns undefined if there is no connection for them
 */
export async function routeHome(flow: Flow, identifier: string | null): Promise<Reply | undefined> {
  const { step, ctx, interaction } = flow;
  const { organizationId, ownProof } = interaction.asked;
  if (step.link || ownProof) return undefined;
  const home = await discoverConnection(ctx, { identifier, organizationId });
  return home ? goTo(flow, `/connection/${home.id}`) : undefined;
}

/**
 * {@link routeHome} for what the application's request says, before anything was asked. A person who comes back chooses
 * another way.
 */
export async function routeUnasked(flow: Flow): Promise<Reply | undefined> {
  const { step, interaction } = flow;
  const { loginHint, organizationId } = interaction.asked;
  const isAsked = step.routed || step.fault || step.notice || step.identifier !== undefined;
  if (isAsked || (loginHint === null && organizationId === null)) return undefined;
  return routeHome(flow, loginHint);
}
