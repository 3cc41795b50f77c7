import { type Static, Type } from 'typebox';
import { getApplication } from '#applications';
import type { Ctx } from '#platform/ctx.ts';
import { type ApplicationId, IdSchema } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import { get, type Routes } from '#platform/route.ts';
import { nullable } from '#platform/schemas.ts';
import { SamlKey, samlKeys } from '#saml-keys';
import { addressesAt, authAddresses, entityIdOf } from './own-side.ts';

const OwnSide = Type.Object(
  {
    entityId: Type.String({ description: 'Of this side. The same at every address.' }),
    signOnUrl: Type.String({ description: 'By HTTP-Redirect or HTTP-POST.' }),
    logoutUrl: Type.String({ description: 'Single logout, by HTTP-Redirect or HTTP-POST.' }),
    metadataUrl: Type.String(),
    startUrl: nullable(Type.String({ description: 'Where sign-ins may begin; null: not allowed.' })),
    keys: Type.Array(SamlKey),
  },
  { title: 'SamlIdentityProvider' },
);

async function ownSide(ctx: Ctx, id: ApplicationId): Promise<Static<typeof OwnSide>> {
  const application = await getApplication(ctx, id);
  if (!application.saml) throw problem('NOT_FOUND');
  const [auth = ''] = await authAddresses(ctx.system, ctx.scope);
  const { signOn, logout, metadata, start } = addressesAt(auth, application);
  return {
    entityId: entityIdOf(application),
    signOnUrl: signOn,
    logoutUrl: logout,
    metadataUrl: metadata,
    startUrl: application.saml.idpInitiated ? start : null,
    keys: await samlKeys(ctx),
  };
}

export const samlProviderRoutes: Routes = [
  get('/v1/admin/saml/applications/:samlApplicationId', {
    permission: 'applications:read',
    summary: 'Read what the service provider needs',
    description:
      'The fields to enter at the service provider of an application by SAML, or the address of the metadata that has them.',
    params: Type.Object({ samlApplicationId: IdSchema('app') }),
    responses: { 200: OwnSide },
    problems: ['NOT_FOUND'],
    handler: (request) => ownSide(request.ctx, request.params.samlApplicationId),
  }),
];
