import Stripe from 'stripe';
import { guardedFetch } from '#platform/fetch.ts';
import { problemWithRetry } from '#platform/problem.ts';
import { perSystem, type System } from '#platform/system.ts';

type Account = { client: Stripe; webhookSecret: string };

/** The configured Stripe account; null when statements are paid manually. */
export const stripeAccount = perSystem<Account | null>((system) => {
  const { paymentsUrl } = system.config;
  if (paymentsUrl === null) return null;
  const url = new URL(paymentsUrl);
  const client = new Stripe(decodeURIComponent(url.username), {
    host: url.hostname,
    port: url.port === '' ? 443 : url.port,
    // Only the server of the tests is called without TLS.
    protocol: url.searchParams.has('insecure') ? 'http' : 'https',
    httpClient: Stripe.createFetchHttpClient(guardedFetch(system)),
    maxNetworkRetries: 1,
    timeout: 10_000,
    telemetry: false,
  });
  return { client, webhookSecret: url.searchParams.get('webhookSecret') ?? '' };
});

/** @throws Problem SERVICE_UNAVAILABLE when the provider does not respond or refuses */
export async function askingStripe<T>(system: System, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
    system.log.warn({ err: error, requestId: error.requestId }, 'Stripe refused the request');
    throw problemWithRetry('SERVICE_UNAVAILABLE', 30);
  }
}
