import { fetchIdentityProvider, samlOf, type UsableConnection } from '#connections';
import { type Ctx, type Environment, type TxCtx, transaction } from '#platform/ctx.ts';
import type { ProjectId, WorkspaceId } from '#platform/ids.ts';
import { hashSecret } from '#platform/keyring.ts';
import { scopeColumns } from '#platform/scoped.ts';
import {
  type AssertionContent,
  authnRequestXml,
  formFields,
  readResponse,
  receivedInForm,
  redirectAddress,
  SamlFault,
  signedXml,
} from '#saml';
import { recordExplained } from './saml-explained.ts';

type SamlAssertionsTable = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  connection_id: string;
  assertion_hash: Buffer;
  expires_at: Date;
};

declare module '#platform/db.ts' {
  interface Tables {
    saml_assertions: SamlAssertionsTable;
  }
}

/** The flow that a sign-in by SAML belongs to. */
type Request = { state: string; nonce: string; callback: string };

/** The ID of the request, which the assertion must name. An XML ID must not begin with a digit. */
function requestId({ nonce }: Pick<Request, 'nonce'>): string {
  return `_${nonce}`;
}

/** A request, in the address of the identity provider's sign-in page, or of our page with a form that posts it. */
export async function samlSignInAddress(
  ctx: Pick<Ctx, 'system'>,
  connection: UsableConnection,
  request: Request,
): Promise<string> {
  const { identityProvider, signingKey } = samlOf(connection);
  const { signOnUrl: destination, signOnBinding } = identityProvider;
  const { callback, state } = request;
  if (signOnBinding === 'post')
    return `${callback.slice(0, -CALLBACK.length)}request?state=${encodeURIComponent(state)}`;
  const sent = { kind: 'SAMLRequest', xml: requestXml(ctx, connection, request), destination } as const;
  return redirectAddress({ ...sent, relayState: state }, signingKey.privateKey);
}

const CALLBACK = 'callback';

function requestXml({ system }: Pick<Ctx, 'system'>, connection: UsableConnection, request: Request): string {
  const { identityProvider, entityId } = samlOf(connection);
  const destination = identityProvider.signOnUrl;
  const head = { id: requestId(request), issuedAt: system.clock.now(), destination, issuer: entityId };
  return authnRequestXml(head, request.callback);
}

/** A signed request, in the form that takes it to the identity provider's sign-in page. */
export function samlSignInForm(ctx: Pick<Ctx, 'system'>, connection: UsableConnection, request: Request) {
  const { identityProvider, signingKey } = samlOf(connection);
  const xml = signedXml(requestXml(ctx, connection, request), 'AuthnRequest', signingKey);
  const fields = formFields({ kind: 'SAMLRequest', xml, relayState: request.state });
  return { action: identityProvider.signOnUrl, fields };
}

/** A response that came to a callback; `nonce` is null where the identity provider began. */
export type Arrived = { message: string; callback: string; nonce: string | null };

/**
 * Reads the response that a browser brought and uses up its assertion. What it says, or why it was refused, is kept for
 * administrators.
 * @throws SamlFault
 */
export async function readArrived(ctx: Ctx, connection: UsableConnection, arrived: Arrived): Promise<AssertionContent> {
  try {
    const content = await readOnce(ctx, connection, arrived);
    await recordExplained(ctx, connection, content);
    return content;
  } catch (fault) {
    if (fault instanceof SamlFault) await recordExplained(ctx, connection, fault);
    throw fault;
  }
}

async function readOnce(ctx: Ctx, connection: UsableConnection, arrived: Arrived): Promise<AssertionContent> {
  const { message, callback, nonce } = arrived;
  const { identityProvider, entityId, privateKeys } = samlOf(connection);
  const content = await readResponse(receivedInForm({ SAMLResponse: message }).source, {
    entityId: identityProvider.entityId,
    certificates: identityProvider.certificates,
    audience: entityId,
    recipient: callback,
    decryptionKeys: privateKeys,
    requestId: nonce === null ? null : requestId({ nonce }),
    now: ctx.system.clock.now(),
  });
  // SAML Core §8.3.8: another one at each sign-in, so it names no account.
  if (content.nameIdFormat === TRANSIENT)
    throw new SamlFault('subject', 'The NameID is transient. Choose a persistent one, or the email address.');
  await transaction(ctx, (tx) => useUp(tx, connection, content));
  return content;
}

const TRANSIENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient';

/**
 * Uses up an assertion or a request: of concurrent ones with the same ID, exactly one goes on (SAML Profiles §4.1.4.5).
 * The row stays as long as it could be accepted.
 * @throws SamlFault
 */
export async function useUp(
  tx: TxCtx,
  { id }: UsableConnection,
  used: Pick<AssertionContent, 'id' | 'usableUntil'>,
): Promise<void> {
  const { numInsertedOrUpdatedRows } = await tx.db
    .insertInto('saml_assertions')
    .values({
      ...scopeColumns(tx),
      connection_id: id,
      assertion_hash: hashSecret(used.id),
      expires_at: used.usableUntil,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  if (numInsertedOrUpdatedRows !== 1n) throw new SamlFault('replay', 'The assertion or request was used before.');
}

/** Reads the metadata at the address of a connection; signs nobody in. */
export async function checkMetadata(
  { system }: Pick<Ctx, 'system'>,
  connection: UsableConnection,
): Promise<{ ok: boolean; detail: string }> {
  const { identityProvider, metadataUrl } = samlOf(connection);
  const { signOnUrl, entityId } = identityProvider;
  if (metadataUrl === null) return { ok: true, detail: `Sign-in starts at ${signOnUrl}. The metadata were pasted.` };
  try {
    const read = await fetchIdentityProvider(system, metadataUrl);
    return read.entityId === entityId
      ? { ok: true, detail: `Sign-in starts at ${read.signOnUrl}.` }
      : { ok: false, detail: `The address now describes ${read.entityId}, another identity provider.` };
  } catch (error) {
    return { ok: false, detail: error instanceof Error ? error.message : 'The metadata can not be read.' };
  }
}
