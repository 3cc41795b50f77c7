import { type Serializer, type SerializerFactory, SerializerSelector } from '@fastify/fast-json-stringify-compiler';
import formBody from '@fastify/formbody';
import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import type { FastifyInstance, FastifySchemaCompiler } from 'fastify';
import { addOwnFormats } from './formats.ts';
import { isNestedTooDeep } from './nesting.ts';
import { problem } from './problem.ts';
import type { Plugin } from './route.ts';

/** Reads forms. Only the routes of forms have it: a page of another origin can send one without being asked. */
export const forms: Plugin = (scope) => scope.register(formBody);

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** One megabyte: the largest request body outside imports. */
export const BODY_LIMIT = 1_048_576;

const options = { allErrors: true, strict: false, messages: true } as const;
const strict = addOwnFormats(
  addFormats.default(new Ajv({ ...options, coerceTypes: false, removeAdditional: false, useDefaults: false })),
);
const coercing = addOwnFormats(
  addFormats.default(new Ajv({ ...options, coerceTypes: true, removeAdditional: false, useDefaults: true })),
);

/**
 * Bodies are taken as they are: nothing coerced, nothing dropped, every fault listed (BI-1). Params and query arrive as text,
 * so only there numbers and booleans are read from strings and defaults filled in. A schema is compiled at its first use: all of
 * them take seconds at the start, and a process serves few of them.
 */
export const validatorCompiler: FastifySchemaCompiler<unknown> = ({ schema, httpPart }) => {
  let compiled: ValidateFunction | null = null;
  const validate: ReturnType<FastifySchemaCompiler<unknown>> = (value) => {
    compiled ??= (httpPart === 'body' ? strict : coercing).compile(closed(schema));
    const valid = compiled(value);
    validate.errors = compiled.errors ?? null;
    return valid;
  };
  return validate;
};

const serializers = SerializerSelector();

/** Compiles what writes answers, as Fastify does, but each at its first use. */
export const buildSerializer: SerializerFactory = (schemas, serializerOptions) => {
  const compile = serializers(schemas, serializerOptions);
  return (route) => {
    let serialize: Serializer | null = null;
    return (value) => {
      serialize ??= compile(route);
      return serialize(value);
    };
  };
};

/** Top-level objects refuse fields they do not name. Parts of one schema that say otherwise keep their word. */
function closed(schema: unknown): Record<string, unknown> {
  const plain: Record<string, unknown> = { ...Object(schema) };
  if (plain['type'] === 'object' && !('additionalProperties' in plain)) plain['additionalProperties'] = false;
  return plain;
}

/** Reads JSON strictly: valid UTF-8, no NUL and no half of a surrogate pair (PostgreSQL can't store them), no prototype keys. */
export function addBodyParsers(app: FastifyInstance): void {
  limitTime(app);
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const text = decode(typeof body === 'string' ? Buffer.from(body) : body);
    if (text === '') return done(null, {});
    if (text === null)
      return done(
        problem('VALIDATION_FAILED', 'The body must be JSON in UTF-8 without NUL characters or lone surrogates.'),
        undefined,
      );
    return parseJson(request, text, (error, value) =>
      error === null && isNestedTooDeep(value)
        ? done(problem('VALIDATION_FAILED', 'The body is nested too deeply.'), undefined)
        : done(error, value),
    );
  });
  app.addHook('preValidation', (request, _reply, done) => {
    // An absent body is an empty object, so that optional fields may all be left out.
    if ((request.body === undefined || request.body === null) && request.route?.body) request.body = {};
    done();
  });
}

/** How long a body may take, and, where it is streamed, how long it may pause. */
const BODY_MS = 30_000;

/** Ends connections whose body does not come (slow bodies would hold them all). */
function limitTime(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const { raw, headers } = request;
    const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
    if (!hasBody) return done();
    if (request.routeOptions.config.route?.streams) {
      const { socket } = raw;
      const idle = () => raw.destroy();
      socket.setTimeout(BODY_MS, idle);
      raw.once('close', () => socket.setTimeout(0).off('timeout', idle));
    } else {
      const late = setTimeout(() => raw.destroy(), BODY_MS);
      raw.once('end', () => clearTimeout(late)).once('close', () => clearTimeout(late));
    }
    return done();
  });
}

/** A surrogate that is escaped, and no half of a pair. */
const HALF = /\\u(?:d[89ab][\da-f]{2}(?!\\ud[c-f][\da-f]{2})|(?<!\\ud[89ab][\da-f]{2}\\u)d[c-f][\da-f]{2})/i;

/** Whether PostgreSQL can store the text that JSON stands for: no NUL in it, raw or escaped, and no half of a character. */
export function isStorable(json: string): boolean {
  if (json.includes('\0')) return false;
  if (!json.includes('\\u')) return true;
  // What follows an escaped backslash is no escape.
  const escapes = json.replaceAll('\\\\', '  ');
  return !escapes.includes('\\u0000') && !HALF.test(escapes);
}

/** @returns null for what is not UTF-8, or can't be stored */
function decode(bytes: Buffer): string | null {
  try {
    const text = utf8.decode(bytes);
    return isStorable(text) ? text : null;
  } catch {
    return null;
  }
}
