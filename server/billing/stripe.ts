import { createRequire } from 'node:module';
import type Stripe from 'stripe';
import { guardedFetch } from '#platform/fetch.ts';
import { problemWithRetry } from '#platform/problem.ts';
import { perSystem, type System } from '#platform/system.ts';

const require = createRequire(import.meta.url);

/** Loaded only where payments are configured, because it takes 6 MB. */
const stripeLibrary = (): typeof Stripe => require('stripe');

type Account = { client: Stripe; webhookSecret: string };

/** The configured Stripe account; null when statements are paid manually. */
export const stripeAccount = perSystem<Account | null>((system) => {
  const { paymentsUrl } = system.config;
  if (paymentsUrl === null) return null;
  const url = new URL(paymentsUrl);
  const Client = stripeLibrary();
  const client = new Client(decodeURIComponent(url.username), {
    host: url.hostname,
    port: url.port === '' ? 443 : url.port,
    // Only the server of the tests is called without TLS.
    protocol: url.searchParams.has('insecure') ? 'http' : 'https',
    httpClient: Client.createFetchHttpClient(guardedFetch(system)),
    maxNetworkRetries: 1,
    timeout: 10_000,
    telemetry: false,
  });
  return { client, webhookSecret: url.searchParams.get('webhookSecret') ?? '' };
});

/** The errors of the library, for work with an account. */
export const stripeErrors = (): typeof Stripe.errors => stripeLibrary().errors;

/** @throws Problem SERVICE_UNAVAILABLE when the provider does not respond or refuses */
export async function askingStripe<T>(system: System, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof stripeErrors().StripeError)) throw error;
    system.log.warn({ err: error, requestId: error.requestId }, 'Stripe refused the request');
    throw problemWithRetry('SERVICE_UNAVAILABLE', 30);
  }
}
