import { readFileSync } from 'node:fs';
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';

const minor = (description: string) => Type.Integer({ minimum: 0, maximum: 1_000_000_000, description });
const Country = Type.String({ pattern: '^[A-Z]{2}$', description: 'ISO 3166-1 alpha-2.' });

/**
 * An SMS tier that a project can subscribe to. Money is in minor units of the currency; messages are counted in
 * segments.
 */
export const SmsTier = Type.Object(
  {
    id: Type.String({ pattern: '^[a-z][a-z0-9_-]{0,39}$' }),
    name: Type.String({ minLength: 1, maxLength: 80 }),
    currency: Type.String({ pattern: '^[A-Z]{3}$', description: 'ISO 4217.' }),
    monthlyPrice: minor('Per period, in minor units of the currency.'),
    included: Type.Integer({ minimum: 0, maximum: 100_000_000, description: 'Segments without extra charge.' }),
    overagePrice: Type.Union([minor('For every segment beyond the included ones, in minor units.'), Type.Null()], {
      description: 'Null: nothing is sent beyond the included segments.',
    }),
    hardCap: Type.Integer({
      minimum: 1,
      maximum: 100_000_000,
      description: 'The maximum number of segments in a period.',
    }),
    countries: Type.Union([Type.Array(Country, { minItems: 1, maxItems: 250, uniqueItems: true }), Type.Null()], {
      description: 'Where messages may go; null: everywhere.',
    }),
    stripePrice: Type.Optional(Type.String({ pattern: '^price_\\w+$' })),
    stripeOveragePrice: Type.Optional(Type.String({ pattern: '^price_\\w+$' })),
  },
  { additionalProperties: false },
);
export type SmsTier = Static<typeof SmsTier>;

const tiers = Compile(Type.Array(SmsTier, { minItems: 1, maxItems: 50 }));

/** Countries with cheap termination and little abuse; the built-in tiers send to them. */
const COMMON = [
  ...['AT', 'AU', 'BE', 'CA', 'CH', 'CZ', 'DE', 'DK', 'EE', 'ES', 'FI', 'FR', 'GB', 'GR', 'HR', 'HU', 'IE', 'IS'],
  ...['IT', 'JP', 'KR', 'LT', 'LU', 'LV', 'MT', 'NL', 'NO', 'NZ', 'PL', 'PT', 'RO', 'SE', 'SG', 'SI', 'SK', 'US'],
];

/** The tiers of an installation whose operator configures none. */
export const shippedTiers: readonly SmsTier[] = [
  {
    id: 'starter',
    name: 'Starter',
    currency: 'USD',
    monthlyPrice: 900,
    included: 150,
    overagePrice: null,
    hardCap: 150,
    countries: COMMON,
  },
  {
    id: 'growth',
    name: 'Growth',
    currency: 'USD',
    monthlyPrice: 4_900,
    included: 1_000,
    overagePrice: 6,
    hardCap: 5_000,
    countries: COMMON,
  },
  {
    id: 'scale',
    name: 'Scale',
    currency: 'USD',
    monthlyPrice: 39_900,
    included: 10_000,
    overagePrice: 5,
    hardCap: 100_000,
    countries: null,
  },
];

/**
 * Parses the operator's tiers.
 * @param value a JSON array, or the path of a file that contains one
 * @returns the tiers, or the fault
 */
export function readSmsTiers(value: string): { tiers: SmsTier[] } | { fault: string } {
  try {
    const parsed: unknown = JSON.parse(value.startsWith('[') ? value : readFileSync(value, 'utf8'));
    if (!tiers.Check(parsed)) {
      const [first] = tiers.Errors(parsed);
      return { fault: `${first?.instancePath ?? ''} ${first?.message ?? 'is not valid'}` };
    }
    const fault = parsed.map((tier) => faultOf(tier, parsed)).find((found) => found !== null);
    return fault === undefined ? { tiers: parsed } : { fault };
  } catch (error) {
    return { fault: error instanceof SyntaxError ? 'it is not JSON' : String(error) };
  }
}

function faultOf(tier: SmsTier, all: readonly SmsTier[]): string | null {
  if (all.some((other) => other !== tier && other.id === tier.id)) return `the id "${tier.id}" stands twice`;
  if (tier.overagePrice === null && tier.hardCap !== tier.included)
    return `"${tier.id}" has no overagePrice, so its hardCap must be what is included`;
  if (tier.hardCap < tier.included) return `"${tier.id}" has a hardCap below what is included`;
  return null;
}
