import { SamlFault } from './fault.ts';
import { ASSERTION } from './names.ts';
import { attribute, type Element, escapeXml, textOf } from './xml.ts';

/** A person as an identity provider names them. A logout names them with the same qualifiers (SAML Core §3.7.3.1). */
export type NameId = {
  nameId: string;
  nameIdFormat: string | null;
  nameQualifier: string | null;
  spNameQualifier: string | null;
};

const MAX_LENGTH = 500;

/** @throws SamlFault */
export function nameIdOf(element: Element | undefined): NameId {
  const nameId = element && textOf(element);
  if (!nameId || nameId.length > MAX_LENGTH) throw new SamlFault('subject', 'The message names no person by a NameID.');
  return {
    nameId,
    nameIdFormat: attribute(element, 'Format'),
    nameQualifier: attribute(element, 'NameQualifier'),
    spNameQualifier: attribute(element, 'SPNameQualifier'),
  };
}

/** The element; its prefix is `saml`. */
export function nameIdXml({ nameId, nameIdFormat, nameQualifier, spNameQualifier }: NameId): string {
  const attributes = { Format: nameIdFormat, NameQualifier: nameQualifier, SPNameQualifier: spNameQualifier };
  const written = Object.entries(attributes).map(([name, value]) => (value ? ` ${name}="${escapeXml(value)}"` : ''));
  return `<saml:NameID xmlns:saml="${ASSERTION}"${written.join('')}>${escapeXml(nameId)}</saml:NameID>`;
}
