import { Type } from 'typebox';
import { signInPreview } from '#hosted';
import { IdSchema } from '#platform/ids.ts';
import { get, type Routes } from '#platform/route.ts';
import { type Branding, languages, Settings } from '#settings';

const none = 'Empty: none. Absent: the saved value.';
const Colour = Type.Optional(Type.String({ pattern: '^(#[0-9a-f]{6})?$', description: none }));

const PreviewQuery = Type.Object({
  workspaceId: IdSchema('wrk'),
  projectId: IdSchema('prj'),
  environment: Type.Enum(['test', 'production', 'prod']),
  locale: Type.Enum([...languages], { default: 'en' }),
  logoUrl: Type.Optional(Type.String({ maxLength: 2_048, pattern: '^(https?://\\S+)?$', description: none })),
  accentColor: Colour,
  backgroundColor: Colour,
  radius: Type.Optional(Type.Integer({ minimum: 0, maximum: 24 })),
  text: Type.Optional(Type.String({ maxLength: 500, description: none })),
  signInLayout: Type.Optional(Settings.properties.signInLayout),
});

/** Previews of what customers will see. */
export const previewRoutes: Routes = [
  get('/console/v1/branding/preview', {
    permission: 'settings:read',
    scopeIn: 'query',
    summary: 'Preview the sign-in page',
    description: 'The real page with unsaved branding, as HTML for a frame of the console.',
    query: PreviewQuery,
    responses: { 200: { description: 'The page.', content: { 'text/html': { schema: Type.String() } } } },
    problems: ['NOT_FOUND'],
    handler: async (request, reply) => {
      const { locale, signInLayout, workspaceId: _w, projectId: _p, environment: _e, ...look } = request.query;
      const { document, headers } = await signInPreview(request, reply, {
        locale,
        settings: signInLayout === undefined ? {} : { signInLayout },
        branding: changesIn(look),
      });
      return reply.headers(headers).serializer(String).send(document);
    },
  }),
];

/** The changes in the query; empty texts count as none. */
function changesIn(look: Partial<Record<keyof Branding, string | number>>): Partial<Branding> {
  return Object.fromEntries(Object.entries(look).map(([name, value]) => [name, value === '' ? null : value]));
}
