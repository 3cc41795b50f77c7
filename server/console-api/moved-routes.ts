import type { App } from '#platform/http.ts';

const FROM = '/v1/admin/';
const TO = '/console/v1/';
const VERBS: readonly (string | symbol)[] = ['get', 'post', 'put', 'patch', 'delete'];

/** The host as the admin routes see it when the console serves them: the same routes, at addresses of the console. */
export function atConsole(app: App): App {
  return new Proxy(app, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      if (!VERBS.includes(name)) return member.bind(target);
      return (path: string, ...rest: unknown[]) => Reflect.apply(member, target, [moved(path), ...rest]);
    },
  });
}

function moved(path: string): string {
  if (!path.startsWith(FROM)) throw new Error(`${path} is no admin route.`);
  return TO + path.slice(FROM.length);
}
