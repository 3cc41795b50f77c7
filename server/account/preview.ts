import { type PreviewWish, previewed, SAMPLE } from '#hosted';
import type { Profile } from '#people';
import type { Ctx } from '#platform/ctx.ts';
import type { Reply, Request } from '#platform/http.ts';
import { newId } from '#platform/ids.ts';
import { membershipsPage } from './memberships.page.ts';
import { dataPage } from './own-data.page.ts';
import { newPage } from './passkeys.page.ts';
import { profilePage } from './profile.page.ts';
import { recoveryCodesPage } from './second-factors.page.ts';
import { passwordPage, securityPage } from './security.page.ts';
import { sessionsPage } from './sessions.page.ts';
import { BASE, type Visit } from './visit.ts';

type Sample = NonNullable<Visit['sample']>;

/** The pages of an account that differ in their parts. */
const PAGES = {
  account: profilePage,
  'account-security': securityPage,
  'account-password': passwordPage,
  'account-passkey': newPage,
  'account-recovery-codes': (visit) =>
    recoveryCodesPage({ ...visit, step: { recoveryCodes: [...SAMPLE.recoveryCodes] } }),
  'account-sessions': (visit) => sessionsPage(visit, sampleOf(visit.ctx.now).security, sampleOf(visit.ctx.now).used),
  'account-memberships': membershipsPage,
  'account-data': dataPage,
} satisfies Record<string, (visit: Visit) => Reply | Promise<Reply>>;

type AccountPage = keyof typeof PAGES;
export const accountPages = Object.keys(PAGES).filter((name): name is AccountPage => name in PAGES);

/** Previews a page of an account, rendered by the code of the real page with sample data. */
export async function previewAccountPage(
  { request, reply }: { request: Request; reply: Reply },
  page: AccountPage,
  wish: PreviewWish,
): Promise<Reply> {
  const { settings, voice } = await previewed(request, wish);
  const { now } = request.ctx;
  const [userId, sessionId, entryId] = [newId('usr', now), newId('ses', now), newId('ent', now)];
  const ctx: Ctx = { ...request.ctx, actor: { kind: 'customer', userId, sessionId, entryId } };
  const visit: Visit = {
    ...{ request, reply, ctx, settings, voice, step: {}, sample: sampleOf(now), preview: { theme: wish.theme } },
    place: { base: BASE, owner: userId, cookie: ['account', null] },
    profile: { ...NOBODY, userId, createdAt: now.toISOString(), updatedAt: now.toISOString() },
  };
  return PAGES[page](visit);
}

const NOBODY: Omit<Profile, 'userId' | 'createdAt' | 'updatedAt'> = {
  ...{ email: SAMPLE.email, emailVerified: true, phone: '+4930901820', phoneVerified: true, username: 'ada' },
  ...{ displayName: SAMPLE.name, givenName: 'Ada', familyName: 'Lovelace', middleName: null, nickname: null },
  ...{ gender: null, picture: null, profile: null, website: null, locale: null, zoneinfo: null, birthdate: null },
  customData: {},
};

const PHONE_BROWSER =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1';
const DESKTOP_BROWSER =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/139.0.0.0 Safari/537.36';

function sampleOf(now: Date): Sample {
  const ago = (days: number) => new Date(now.getTime() - days * 86_400_000).toISOString();
  const session = (current: boolean, userAgent: string, days: number) => ({
    ...{
      id: newId('ses', now),
      current,
      amr: ['pwd'],
      acr: 'aal1',
      userAgent,
      ip: current ? '203.0.113.7' : '198.51.100.24',
      country: current ? 'DE' : 'FR',
    },
    ...{ authTime: ago(days), createdAt: ago(days), lastSeenAt: ago(days / 2), expiresAt: ago(-30) },
  });
  const passkey = (name: string, synced: boolean, days: number) => ({
    ...{ id: newId('psk', now), name, synced, secondFactor: false, createdAt: ago(days), lastUsedAt: ago(1) },
  });
  const sessions = [session(true, DESKTOP_BROWSER, 0), session(false, PHONE_BROWSER, 6)];
  return {
    security: {
      hasPassword: true,
      passwordChangedAt: ago(90),
      mfa: {
        enabled: true,
        factors: [
          {
            id: newId('fac', now),
            type: 'totp',
            hint: null,
            restricted: false,
            createdAt: ago(60),
            lastUsedAt: ago(3),
          },
        ],
      },
      passkeys: [passkey('iCloud Keychain', true, 40), passkey('YubiKey 5', false, 12)],
      recoveryCodesLeft: 9,
      rememberedDevices: [],
      sessions,
    },
    used: [{ clientId: 'example', name: SAMPLE.provider, firstParty: false, sessionIds: sessions.map(({ id }) => id) }],
  };
}
