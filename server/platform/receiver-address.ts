import { Type } from 'typebox';
import type { Ctx } from './ctx.ts';
import { checkReceiver } from './fetch.ts';
import { problem } from './problem.ts';

export const ReceiverUrl = Type.String({
  minLength: 1,
  maxLength: 2_048,
  examples: ['https://example.com/hooks'],
  description:
    'https; http in the test environment of an installation in development mode. Without user name, password and fragment.',
});

/** @throws Problem VALIDATION_FAILED with the fault of the address */
export async function requireReceiver({ system, scope }: Pick<Ctx, 'system' | 'scope'>, url: string): Promise<void> {
  const fault = addressFault(url, scope.environment === 'production');
  if (fault) throw invalid(fault);
  try {
    await checkReceiver(system, url);
  } catch (error) {
    throw invalid(error instanceof Error ? error.message : 'is refused');
  }
}

function addressFault(url: string, production: boolean): string | null {
  if (!URL.canParse(url)) return 'is not a URL';
  const { protocol, username, password, hash } = new URL(url);
  if (protocol !== 'https:' && protocol !== 'http:') return 'must be an https address';
  if (production && protocol !== 'https:') return 'must be an https address in the production environment';
  if (username || password) return 'must have no user name or password; use a header';
  if (hash) return 'must have no fragment';
  return null;
}

function invalid(message: string) {
  return problem('VALIDATION_FAILED', { extensions: { errors: [{ pointer: '/body/url', message }] } });
}
