import { type Serializer, type SerializerFactory, SerializerSelector } from '@fastify/fast-json-stringify-compiler';
import formBody from '@fastify/formbody';
import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import type { FastifyBodyParser, FastifyInstance, FastifySchemaCompiler } from 'fastify';
import { addOwnFormats } from './formats.ts';
import { faultOfJson } from './json-faults.ts';
import { problem } from './problem.ts';
import type { Plugin } from './route.ts';

/**
 * Parses form bodies. Only the routes of forms have it, because a page of another origin can send one without a
 * preflight.
 */
export const forms: Plugin = (scope) => scope.register(formBody);

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** One megabyte: the largest request body except imports. */
export const BODY_LIMIT = 1_048_576;

const options = { allErrors: true, strict: false, messages: true } as const;
const strict = addOwnFormats(
  addFormats.default(new Ajv({ ...options, coerceTypes: false, removeAdditional: false, useDefaults: false })),
);
const coercing = addOwnFormats(
  addFormats.default(new Ajv({ ...options, coerceTypes: true, removeAdditional: false, useDefaults: true })),
);

const bodyValidators = new WeakMap<object, ValidateFunction>();
const textValidators = new WeakMap<object, ValidateFunction>();
const serializers = new WeakMap<object, Serializer>();

/** Compiles a schema once in a process: the hosts of both environments serve the same routes. */
function compileOnce<Compiled>(known: WeakMap<object, Compiled>, schema: unknown, compile: () => Compiled): Compiled {
  const compiled = known.get(Object(schema)) ?? compile();
  known.set(Object(schema), compiled);
  return compiled;
}

/**
 * Validates bodies strictly: nothing is coerced, nothing is dropped, every fault is listed (BI-1). Only params and
 * query, which arrive as text, get coercion and defaults. Schemas are compiled at first use: compiling all of them
 * takes seconds, and a process uses few.
 */
export const validatorCompiler: FastifySchemaCompiler<unknown> = ({ schema, httpPart }) => {
  const [ajv, known] = httpPart === 'body' ? [strict, bodyValidators] : [coercing, textValidators];
  const validate: ReturnType<FastifySchemaCompiler<unknown>> = (value) => {
    const compiled = compileOnce(known, schema, () => ajv.compile(closed(schema)));
    const valid = compiled(value);
    validate.errors = compiled.errors ?? null;
    return valid;
  };
  return validate;
};

const selectSerializer = SerializerSelector();

/** Compiles response serializers as Fastify does, but each at its first use. */
export const buildSerializer: SerializerFactory = (schemas, serializerOptions) => {
  const compile = selectSerializer(schemas, serializerOptions);
  return (route) => (value) => compileOnce(serializers, route.schema, () => compile(route))(value);
};

/** Makes top-level objects refuse unknown fields; schemas that set `additionalProperties` keep their value. */
function closed(schema: unknown): Record<string, unknown> {
  const plain: Record<string, unknown> = { ...Object(schema) };
  if (plain['type'] === 'object' && !('additionalProperties' in plain)) plain['additionalProperties'] = false;
  return plain;
}

/**
 * Parses JSON strictly: valid UTF-8, no NUL and no lone surrogate (PostgreSQL can't store them), no prototype keys. For the
 * option `parseAs: 'buffer'`.
 */
export function strictJson(app: FastifyInstance): FastifyBodyParser<string | Buffer> {
  const parseJson = app.getDefaultJsonParser('error', 'error');
  return (request, body, done) => {
    const text = decode(typeof body === 'string' ? Buffer.from(body) : body);
    if (text === '') return done(null, {});
    if (text === null)
      return done(
        problem('VALIDATION_FAILED', 'The body must be JSON in UTF-8 without NUL characters or lone surrogates.'),
        undefined,
      );
    return parseJson(request, text, (error, value) => {
      const fault = error === null ? faultOfJson(value) : undefined;
      return fault === undefined
        ? done(error, value)
        : done(problem('VALIDATION_FAILED', `The body ${fault}.`), undefined);
    });
  };
}

export function addBodyParsers(app: FastifyInstance): void {
  limitTime(app);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, strictJson(app));
  app.addHook('preValidation', (request, _reply, done) => {
    // An absent body is an empty object, so that a client may omit a body whose fields are all optional.
    if ((request.body === undefined || request.body === null) && request.route?.body) request.body = {};
    done();
  });
}

/** The timeout of a body and, where it is streamed, of each pause. */
const BODY_MS = 30_000;

/** Closes connections whose body does not arrive in time (slow bodies would exhaust the connections). */
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

/** An escaped lone surrogate. */
const LONE_SURROGATE = /\\u(?:d[89ab][\da-f]{2}(?!\\ud[c-f][\da-f]{2})|(?<!\\ud[89ab][\da-f]{2}\\u)d[c-f][\da-f]{2})/i;

/** True if PostgreSQL can store the text of this JSON: no NUL, raw or escaped, and no lone surrogate. */
export function isStorable(json: string): boolean {
  if (json.includes('\0')) return false;
  if (!json.includes('\\u')) return true;
  // A sequence after an escaped backslash is not an escape.
  const escapes = json.replaceAll('\\\\', '  ');
  return !escapes.includes('\\u0000') && !LONE_SURROGATE.test(escapes);
}

/** @returns null for bytes that are not UTF-8, or that PostgreSQL can't store */
function decode(bytes: Buffer): string | null {
  try {
    const text = utf8.decode(bytes);
    return isStorable(text) ? text : null;
  } catch {
    return null;
  }
}
