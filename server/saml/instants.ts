import { SamlFault } from './fault.ts';
import { attribute, type Element } from './xml.ts';

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/;

/** @throws SamlFault for a value that is no instant */
export function instantOf(element: Element, name: string): Date | null {
  const value = attribute(element, name);
  if (value === null) return null;
  const instant = new Date(value);
  if (!INSTANT.test(value) || Number.isNaN(instant.getTime()))
    throw new SamlFault('time', `${name} is not an instant: ${value.slice(0, 50)}.`);
  return instant;
}
