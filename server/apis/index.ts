export { createApi } from './apis.ts';
export {
  type ApiId,
  type KnownApi,
  knownApis,
  readApis,
  type ScopeId,
  type ScopeText,
  scopeTexts,
} from './known-apis.ts';
export { apisPart } from './part.ts';
export { routes } from './routes.ts';
