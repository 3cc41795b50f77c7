import type { Attribute, ResourceType, Schema } from './schemas.ts';
import { invalid } from './scim-error.ts';

/** An attribute of a resource, or a sub-attribute of one. Names are those of the schema, whatever case they came in. */
export type Path = {
  /** Set for an attribute of an extension. */
  extension: Schema | null;
  /** Null for the extension as a whole. */
  attribute: Attribute | null;
  sub: Attribute | null;
};

/** Finds an attribute by its name, regardless of case (RFC 7643 §2.1). */
export function attributeNamed(attributes: readonly Attribute[], name: string): Attribute | undefined {
  const wanted = name.toLowerCase();
  return attributes.find((attribute) => attribute.name.toLowerCase() === wanted);
}

/**
 * Reads a path such as `name.givenName`, or with the URN of its schema before it.
 * @throws ScimError invalidPath
 */
export function readPath(type: ResourceType, text: string): Path {
  const { schema, rest } = schemaIn(type, text);
  const extension = schema === type.extension ? schema : null;
  if (extension && rest === '') return { extension, attribute: null, sub: null };
  const [name = '', subName, ...more] = rest.split('.');
  const attribute = attributeNamed(extension ? extension.attributes : type.attributes, name);
  const sub = attribute && subName !== undefined ? attributeNamed(attribute.subAttributes ?? [], subName) : null;
  if (!attribute || sub === undefined || more.length > 0)
    throw invalid('invalidPath', `${type.kind} has no attribute "${text}".`);
  return { extension, attribute, sub };
}

function schemaIn(type: ResourceType, text: string): { schema: Schema; rest: string } {
  const lower = text.toLowerCase();
  for (const schema of [type.extension, type.schema]) {
    if (!schema || !lower.startsWith(schema.id.toLowerCase())) continue;
    const rest = text.slice(schema.id.length);
    if (rest === '' || rest.startsWith(':')) return { schema, rest: rest.slice(1) };
  }
  return { schema: type.schema, rest: text };
}
