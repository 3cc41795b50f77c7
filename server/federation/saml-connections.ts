import type { ConnectionFlow } from './connection-kinds.ts';
import { attributesOf } from './saml-attributes.ts';
import { checkMetadata, readArrived, samlSignInAddress } from './saml-sign-in.ts';

/** People sign in by SAML. */
export const samlConnections: ConnectionFlow = {
  start: samlSignInAddress,
  finish: async (ctx, connection, { request, returned, message }) => {
    const callback = `${returned.origin}${returned.pathname}`;
    const content = await readArrived(ctx, connection, { message: message ?? '', callback, nonce: request.nonce });
    return {
      subject: content.nameId,
      attributes: attributesOf(content),
      received: content.attributes,
      emailVerified: null,
      session: content,
    };
  },
  test: checkMetadata,
};
