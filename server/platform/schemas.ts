import { type TNull, type TSchema, type TUnion, Type } from 'typebox';

/** A time of RFC 3339. */
export const Instant = Type.String({ format: 'date-time' });

export function nullable<T extends TSchema>(schema: T): TUnion<[T, TNull]> {
  return Type.Union([schema, Type.Null()]);
}
