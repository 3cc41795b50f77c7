import type { Static } from 'typebox';
import { emit } from '#events';
import { requireAuthority } from '#members';
import { type Ctx, transaction } from '#platform/ctx.ts';
import { announce } from '#platform/feed.ts';
import type { ApplicationId, Id } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import { inScope } from '#platform/scoped.ts';
import { lockApplication, strengthOf } from './application-changes.ts';
import type { NewSecret } from './application-records.ts';
import { addSecret, endTokens } from './applications.ts';

type SecretId = Id<'sec'>;

/** Two, so that a new secret can be rolled out before the old one is removed. */
const MAX_SECRETS = 2;

/**
 * Adds a second secret. Knowing it is enough to act as the application.
 * @throws Problem NOT_FOUND, CONFLICT when there are two, or the client has none, AUTHORIZATION_DENIED for an
 * application that may do more than the actor
 */
export function addApplicationSecret(ctx: Ctx, id: ApplicationId): Promise<Static<typeof NewSecret>> {
  return transaction(ctx, async (tx) => {
    const application = await lockApplication(tx, id);
    const { kind, clientId, jwks, secrets } = application;
    await requireAuthority(tx, 'application.secret.add', { grants: strengthOf(application) });
    if (jwks || (kind !== 'web' && kind !== 'management'))
      throw problem('CONFLICT', 'Applications of this kind have no secret.');
    if (secrets.length >= MAX_SECRETS)
      throw problem('CONFLICT', 'The application already has two secrets. Remove the unused one first.');
    const secret = await addSecret(tx, id);
    await announce(tx, { topic: 'application', key: clientId });
    await emit(tx, 'application.secret.created', { applicationId: id, secretId: secret.id });
    return { id: secret.id, hint: secret.hint, createdAt: tx.now.toISOString(), secret: secret.secret };
  });
}

/**
 * Removes a secret; the application's tokens end at once, as it may have leaked.
 * @throws Problem NOT_FOUND, AUTHORIZATION_DENIED
 */
export async function removeApplicationSecret(ctx: Ctx, id: ApplicationId, secretId: SecretId): Promise<void> {
  await transaction(ctx, async (tx) => {
    const application = await lockApplication(tx, id);
    if (!application.secrets.some((secret) => secret.id === secretId)) throw problem('NOT_FOUND');
    await requireAuthority(tx, 'application.secret.remove', { grants: strengthOf(application) });
    await tx.db
      .deleteFrom('application_secrets')
      .where(inScope(tx))
      .where('application_id', '=', id)
      .where('id', '=', secretId)
      .execute();
    await endTokens(tx, id, {});
    await emit(tx, 'application.secret.deleted', { applicationId: id, secretId });
  });
}
