import type { Document, Element } from '@xmldom/xmldom';
import { SamlFault } from './fault.ts';
import { xmlLibrary } from './libraries.ts';

export type { Element };

/** Characters; a message with a large assertion has 20,000. */
export const MAX_LENGTH = 262_144;
const MAX_DEPTH = 64;
const MAX_ELEMENTS = 5_000;
/** In all elements: canonicalization compares each with the others. */
const MAX_ATTRIBUTES = 5_000;
const MAX_ATTRIBUTES_OF_ELEMENT = 100;

/** Characters that XML 1.0 does not have, and those that a parser may normalise in the way of XML 1.1. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it finds them
const FOREIGN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u2028\ufffe\uffff]/;

/** A tag of 10,000 characters. The parser compares each attribute of an element with the others. */
const LONG_TAG = /<[^<>]{10000}/;

const ELEMENT_NODE = 1;
const TEXT_NODE = 3;
const CDATA_NODE = 4;
const COMMENT_NODE = 8;

/**
 * Parses a message strictly: well-formed, within limits, without a DTD, entities of its own and processing
 * instructions, and with each ID once. Parsers treat all of these differently, and signatures were forged through
 * the differences.
 * @returns the root element
 * @throws SamlFault
 */
export function parseXml(source: string): Element {
  if (source.length > MAX_LENGTH) throw new SamlFault('xml', `The XML has more than ${MAX_LENGTH} characters.`);
  if (isForeign(source)) throw new SamlFault('xml', 'The XML has a character that XML 1.0 does not allow.');
  if (LONG_TAG.test(source)) throw new SamlFault('xml', 'The XML has too many attributes.');
  // Before parsing, so that no entity is ever expanded. A CDATA section that mentions it is refused too.
  if (/<!(?:DOCTYPE|ENTITY)/i.test(source)) throw new SamlFault('xml', 'The XML has a DTD.');
  const root = documentOf(source).documentElement;
  if (!root) throw new SamlFault('xml', 'The XML has no element.');
  checkTree(root);
  return root;
}

function documentOf(source: string): Document {
  try {
    const onError = (_level: string, message: string): never => {
      throw new Error(message);
    };
    const { DOMParser } = xmlLibrary();
    const document = new DOMParser({ onError, locator: false }).parseFromString(withoutDeclaration(source), 'text/xml');
    for (const node of Array.from(document.childNodes))
      if (node.nodeType !== ELEMENT_NODE && node.nodeType !== COMMENT_NODE)
        throw new Error('content outside of the root');
    return document;
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message.slice(0, 200) : '';
    throw new SamlFault('xml', `The message is not well-formed XML: ${detail}`, cause);
  }
}

/** Without the XML declaration, which would be a processing instruction; others are refused. */
function withoutDeclaration(source: string): string {
  return source.replace(/^\ufeff?\s*<\?xml\s[^>]*\?>\s*/, '').trim();
}

const ID_NAMES = new Set(['id', 'Id', 'ID']);

/** Walks without recursion, because the depth is the sender's choice. */
function checkTree(root: Element): void {
  const ids = new Set<string>();
  const open: { element: Element; depth: number }[] = [{ element: root, depth: 1 }];
  let elements = 0;
  let attributes = 0;
  for (let next = open.pop(); next; next = open.pop()) {
    const { element, depth } = next;
    elements += 1;
    attributes += element.attributes.length;
    if (depth > MAX_DEPTH || elements > MAX_ELEMENTS) throw new SamlFault('xml', 'The XML has too many elements.');
    if (attributes > MAX_ATTRIBUTES || element.attributes.length > MAX_ATTRIBUTES_OF_ELEMENT)
      throw new SamlFault('xml', 'The XML has too many attributes.');
    checkAttributes(element, ids);
    checkContent(element);
    open.push(...children(element).map((inner) => ({ element: inner, depth: depth + 1 })));
  }
}

function checkContent({ childNodes }: Element): void {
  for (const { nodeType, nodeValue } of Array.from(childNodes)) {
    if (![ELEMENT_NODE, TEXT_NODE, CDATA_NODE, COMMENT_NODE].includes(nodeType))
      throw new SamlFault('xml', 'The XML has a processing instruction.');
    if (isForeign(nodeValue ?? '')) throw new SamlFault('xml', 'The XML has a forbidden character.');
  }
}

function isForeign(text: string): boolean {
  return FOREIGN.test(text) || !text.isWellFormed();
}

function checkAttributes({ attributes }: Element, ids: Set<string>): void {
  for (const { localName, value } of Array.from(attributes)) {
    if (isForeign(value)) throw new SamlFault('xml', 'The XML has a forbidden character.');
    if (localName === null || !ID_NAMES.has(localName)) continue;
    if (ids.has(value)) throw new SamlFault('xml', 'Two elements have the same ID.');
    ids.add(value);
  }
}

function isElement(node: { nodeType: number }): node is Element {
  return node.nodeType === ELEMENT_NODE;
}

export function children(parent: Element): Element[] {
  return Array.from(parent.childNodes).filter(isElement);
}

export function childrenNamed(parent: Element, namespace: string, name: string): Element[] {
  return children(parent).filter((child) => is(child, namespace, name));
}

export function is({ namespaceURI, localName }: Element, namespace: string, name: string): boolean {
  return namespaceURI === namespace && localName === name;
}

/**
 * The child of that name, if there is one.
 * @throws SamlFault if there are several
 */
export function child(parent: Element, namespace: string, name: string): Element | undefined {
  const [first, second] = childrenNamed(parent, namespace, name);
  if (second) throw new SamlFault('xml', `${parent.localName} has several elements ${name}.`);
  return first;
}

export function descendantsNamed(root: Element, namespace: string, name: string): Element[] {
  return Array.from(root.getElementsByTagNameNS(namespace, name));
}

/**
 * The whole text of an element that has no other elements: comments and CDATA sections do not cut it.
 * @throws SamlFault
 */
export function textOf(element: Element): string {
  if (children(element).length > 0) throw new SamlFault('xml', `${element.localName} has elements instead of text.`);
  return Array.from(element.childNodes)
    .filter(({ nodeType }) => nodeType !== COMMENT_NODE)
    .map(({ nodeValue }) => nodeValue ?? '')
    .join('')
    .trim();
}

/** The attribute without a namespace; null if it is missing or empty. */
export function attribute(element: Element, name: string): string | null {
  return element.getAttributeNS(null, name) || element.getAttribute(name) || null;
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' };

/** A value as it stands in an attribute or a text of XML. */
export function escapeXml(value: string): string {
  return value.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
}
