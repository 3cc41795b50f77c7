import { Type } from 'typebox';
import type { App } from '#platform/http.ts';
import { IdSchema } from '#platform/ids.ts';

const FROM = '/v1/admin/';
const TO = '/console/v1/';
const VERBS: readonly (string | symbol)[] = ['get', 'post', 'put', 'patch', 'delete'];

type Done = (error?: Error) => void;

/** The host as the admin routes see it when the console serves them: the same routes, at addresses of the console. */
export function atConsole(app: App): App {
  return new Proxy(app, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      if (name === 'register')
        return (plugin: unknown, ...rest: unknown[]) =>
          Reflect.apply(member, target, [scopedAtConsole(plugin), ...rest]);
      if (!VERBS.includes(name)) return member.bind(target);
      return (path: string, options: unknown, ...rest: unknown[]) =>
        Reflect.apply(member, target, [moved(path), withScope(withMovedRecord(options)), ...rest]);
    },
  });
}

/** Routes in a scope of their own move, too; plugins of libraries, which mark themselves, are left alone. */
function scopedAtConsole(plugin: unknown): unknown {
  if (typeof plugin !== 'function' || Object.getOwnPropertySymbols(plugin).length > 0) return plugin;
  return (scoped: App, options: unknown, done: Done): void => {
    const finished: unknown = Reflect.apply(plugin, undefined, [atConsole(scoped), options, done]);
    if (finished instanceof Promise) finished.then(() => done(), done);
  };
}

function moved(path: string): string {
  if (!path.startsWith(FROM)) throw new Error(`${path} is no admin route.`);
  return TO + path.slice(FROM.length);
}

/** A change that shows another path's record names that path. */
function withMovedRecord(options: unknown): unknown {
  const { config } = Object(options);
  const { changes } = Object(config);
  return typeof changes === 'string' ? { ...Object(options), config: { ...config, changes: moved(changes) } } : options;
}

const elsewhere = 'Instead of the header of that name, which a link can not send.';
const scopeOfLink = {
  workspaceId: Type.Optional(Type.Unsafe({ ...IdSchema('wrk'), description: elsewhere })),
  projectId: Type.Optional(Type.Unsafe({ ...IdSchema('prj'), description: elsewhere })),
  environment: Type.Optional(Type.Enum(['test', 'production', 'prod'], { description: elsewhere })),
};

/** What a browser opens by a link to save it as a file may carry its scope in the query. */
function withScope(options: unknown): unknown {
  const { config, schema } = Object(options);
  if (Object(config).scopeIn !== 'link') return options;
  const querystring = Type.Object({ ...Object(schema?.querystring).properties, ...scopeOfLink });
  return { ...Object(options), schema: { ...schema, querystring } };
}
