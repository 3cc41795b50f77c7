import { Type } from 'typebox';

/** Public keys of a client (RFC 7517); private parts are rejected. */
export const Jwks = Type.Object(
  {
    keys: Type.Array(
      Type.Object(
        {
          kty: Type.Enum(['EC', 'RSA', 'OKP']),
          kid: Type.Optional(Type.String({ maxLength: 200 })),
          alg: Type.Optional(Type.String({ maxLength: 20 })),
          use: Type.Optional(Type.Literal('sig')),
          crv: Type.Optional(Type.String({ maxLength: 20 })),
          x: Type.Optional(Type.String({ maxLength: 200 })),
          y: Type.Optional(Type.String({ maxLength: 200 })),
          n: Type.Optional(Type.String({ maxLength: 2_000 })),
          e: Type.Optional(Type.String({ maxLength: 20 })),
        },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: 10 },
    ),
  },
  {
    title: 'Jwks',
    additionalProperties: false,
  },
);
