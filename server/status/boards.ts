import type { Generated, Selectable } from 'kysely';
import { type Static, Type } from 'typebox';
import { hasSms } from '#billing';
import { emit } from '#events';
import { languageFor } from '#messages';
import { announce } from '#platform/feed.ts';
import { Email, normaliseEmail } from '#platform/identifiers.ts';
import { problem } from '#platform/problem.ts';
import { Branding, type Language, languages } from '#settings';
import {
  type Audience,
  inPage,
  type OfPage,
  type PageCtx,
  type PageDb,
  type PageTx,
  pageTransaction,
} from './pages.ts';
import { type Voice, voiceIn } from './words.ts';

export type Policy = 'off' | 'draft' | 'publish';
type StatusBoardsTable = OfPage & {
  overall: Generated<'operational' | 'degraded'>;
  overall_since: Generated<Date>;
  automatic: Generated<Policy>;
  alert_emails: Generated<string[]>;
  measured_at: Date | null;
  /** Null in each of the four: that of the project, or none. */
  name: string | null;
  logo_url: string | null;
  accent_color: string | null;
  support_url: string | null;
  /** The last part of the address of a project's page; null for the installation. */
  slug: Generated<string | null>;
  published: Generated<boolean>;
  /** The languages that the page offers; none: all. */
  locales: Generated<Language[]>;
  default_language: Generated<Language>;
  /** Whether the page offers text messages, which take the SMS add-on of its project. */
  text_messages: Generated<boolean>;
  audience: Generated<Audience>;
  /** True instead of `published` for a page that only members see. */
  shown_to_members: Generated<boolean>;
};

type BoardRow = Selectable<StatusBoardsTable>;

declare module '#platform/db.ts' {
  interface Tables {
    status_boards: StatusBoardsTable;
  }
}

/** The change feed's topic for changes of the shown status; the key is that of the page. */
export const STATUS_TOPIC = 'status';

const { logoUrl, accentColor } = Branding.properties;
const LanguageField = Type.Enum([...languages]);
const link = logoUrl.anyOf[0];

export const StatusSettings = Type.Object(
  {
    name: Type.Union([Type.String({ minLength: 1, maxLength: 100, pattern: '\\S' }), Type.Null()], {
      description: 'What the page is about. Null: the name of the project.',
    }),
    logoUrl: Type.Union([link, Type.Null()], { description: 'Null: the logo of the project.' }),
    accentColor: Type.Union([accentColor.anyOf[0], Type.Null()], {
      description: 'Null: the colour of the project. A colour with too little contrast is adjusted.',
    }),
    supportUrl: Type.Union([link, Type.Null()], { description: 'Where visitors get help; linked on the page.' }),
    locales: Type.Array(LanguageField, {
      minItems: 1,
      uniqueItems: true,
      maxItems: languages.length,
      description: 'The languages in which visitors read the page and subscribers get messages.',
    }),
    defaultLanguage: Type.Enum([...languages], {
      description:
        'The language for people who prefer none of `locales`, and of feeds, badge and documents for programs. Must be one of `locales`.',
    }),
    textMessages: Type.Boolean({
      description:
        'Whether visitors can subscribe by text message. Needs the SMS add-on of the project, which pays for each message.',
    }),
    automatic: Type.Enum(['off', 'draft', 'publish'], {
      description: 'What happens when a measured component fails: nothing, a draft to publish, or a public incident.',
    }),
    alertEmails: Type.Array(Email, {
      maxItems: 20,
      description: 'The recipients of a message when the status changes from operational to degraded and back.',
    }),
  },
  { title: 'StatusSettings' },
);
type StatusSettings = Static<typeof StatusSettings>;
export const StatusSettingsChanges = Type.Partial(StatusSettings, { additionalProperties: false, minProperties: 1 });

/**
 * Makes a public change: changes of one page are serialized, and every process is notified.
 * @param work receives the current board
 */
export function changeBoard<T>(ctx: PageCtx | PageTx, work: (tx: PageTx, board: BoardRow) => Promise<T>): Promise<T> {
  return pageTransaction(ctx, async (tx) => {
    const board = await tx.db
      .selectFrom('status_boards')
      .selectAll()
      .where(inPage(tx.page))
      .forUpdate()
      .executeTakeFirstOrThrow();
    const result = await work(tx, board);
    await announce(tx, { topic: STATUS_TOPIC, key: tx.page.key });
    return result;
  });
}

/** Stores the current time as that of the latest measurement. */
export function noteMeasured(ctx: PageCtx): Promise<void> {
  return pageTransaction(ctx, async (tx) => {
    await tx.db.updateTable('status_boards').set({ measured_at: tx.now }).where(inPage(tx.page)).execute();
  });
}

export async function getStatusSettings(ctx: PageCtx): Promise<StatusSettings> {
  const row = await ctx.db.selectFrom('status_boards').selectAll().where(inPage(ctx.page)).executeTakeFirstOrThrow();
  return settingsOf(row);
}

/** The languages of a page, and the one for people who prefer none of them. */
export type PageLanguages = { offered: Language[]; standard: Language };

/** The languages of a page that has chosen none. */
export const ALL_LANGUAGES: PageLanguages = { offered: [...languages], standard: 'en' };

export function languagesIn({
  locales,
  default_language,
}: Pick<BoardRow, 'locales' | 'default_language'>): PageLanguages {
  return { offered: locales.length === 0 ? [...languages] : locales, standard: default_language };
}

/** The languages of a page, as they are now. */
export async function languagesOf({ db, page }: PageDb): Promise<PageLanguages> {
  const row = await db
    .selectFrom('status_boards')
    .select(['locales', 'default_language'])
    .where(inPage(page))
    .executeTakeFirst();
  return row ? languagesIn(row) : ALL_LANGUAGES;
}

/**
 * True if a page sends text messages: its settings say so, and its project has the SMS add-on. The page of the installation
 * uses that of the default project.
 */
export async function sendsTexts(ctx: PageCtx | PageTx): Promise<boolean> {
  const row = await ctx.db
    .selectFrom('status_boards')
    .select('text_messages')
    .where(inPage(ctx.page))
    .executeTakeFirst();
  return row?.text_messages === true && hasSms(ctx);
}

/** The words for a subscriber: in the language that they read the page in, if it is offered now. */
export function voiceFor({ locale }: { locale: string | null }, { offered, standard }: PageLanguages): Voice {
  return voiceIn(languageFor(locale, standard, offered));
}

function settingsOf(row: BoardRow): StatusSettings {
  return {
    name: row.name,
    logoUrl: row.logo_url,
    accentColor: row.accent_color,
    supportUrl: row.support_url,
    locales: languagesIn(row).offered,
    defaultLanguage: row.default_language,
    textMessages: row.text_messages,
    automatic: row.automatic,
    alertEmails: row.alert_emails,
  };
}

/** @throws Problem VALIDATION_FAILED for a default language that the page does not offer */
function requireOffered({ locales, defaultLanguage }: Pick<StatusSettings, 'locales' | 'defaultLanguage'>): void {
  if (locales.includes(defaultLanguage)) return;
  const errors = [{ pointer: '/body/defaultLanguage', message: `must be one of ${locales.join(', ')}` }];
  throw problem('VALIDATION_FAILED', { extensions: { errors } });
}

/** @throws Problem VALIDATION_FAILED */
export async function updateStatusSettings(
  ctx: PageCtx,
  changes: Static<typeof StatusSettingsChanges>,
): Promise<StatusSettings> {
  return changeBoard(ctx, async (tx, board) => {
    requireOffered({ ...settingsOf(board), ...changes });
    const row = await tx.db
      .updateTable('status_boards')
      .set({
        ...(changes.name !== undefined && { name: changes.name?.trim() ?? null }),
        ...(changes.logoUrl !== undefined && { logo_url: changes.logoUrl }),
        ...(changes.accentColor !== undefined && { accent_color: changes.accentColor }),
        ...(changes.supportUrl !== undefined && { support_url: changes.supportUrl }),
        ...(changes.locales !== undefined && {
          locales: changes.locales.length === languages.length ? [] : changes.locales,
        }),
        ...(changes.defaultLanguage !== undefined && { default_language: changes.defaultLanguage }),
        ...(changes.textMessages !== undefined && { text_messages: changes.textMessages }),
        ...(changes.automatic !== undefined && { automatic: changes.automatic }),
        ...(changes.alertEmails !== undefined && {
          alert_emails: [...new Set(changes.alertEmails.map(normaliseEmail))],
        }),
      })
      .where(inPage(tx.page))
      .returningAll()
      .executeTakeFirstOrThrow();
    await emit(tx, 'status.settings.updated', { changed: Object.keys(changes) });
    return settingsOf(row);
  });
}
