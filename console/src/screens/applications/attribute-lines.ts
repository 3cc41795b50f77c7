import type { Application } from '#api/records.ts';

type Attributes = NonNullable<Application['saml']>['attributes'];
type Claim = Attributes[number]['claim'];

const CLAIMS: Record<Claim, true> = {
  email: true,
  name: true,
  given_name: true,
  family_name: true,
  preferred_username: true,
  phone_number: true,
  picture: true,
  locale: true,
  zoneinfo: true,
  roles: true,
  permissions: true,
  org_id: true,
  org_name: true,
  org_slug: true,
  org_roles: true,
  org_permissions: true,
  sub: true,
};

function isClaim(name: string): name is Claim {
  return Object.hasOwn(CLAIMS, name);
}

export function linesOfAttributes(attributes: Attributes): string {
  return attributes.map(({ claim, name }) => `${claim} = ${name}`).join('\n');
}

/** @returns null if a line is not a claim and a name */
export function attributesIn(text: string): Attributes | null {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const attributes = lines.flatMap((line) => {
    const [, claim = '', name = ''] = /^\s*(\w+)\s*=\s*(\S.*?)\s*$/.exec(line) ?? [];
    if (!isClaim(claim)) return [];
    const kind = name.includes(':') ? 'uri' : 'basic';
    return [{ claim, name, nameFormat: `urn:oasis:names:tc:SAML:2.0:attrname-format:${kind}` as const }];
  });
  return attributes.length === lines.length ? attributes : null;
}
