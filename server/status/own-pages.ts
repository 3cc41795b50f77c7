import { randomBytes } from 'node:crypto';
import { type Static, Type } from 'typebox';
import { projectOf } from '#environments';
import { emit } from '#events';
import type { Ctx } from '#platform/ctx.ts';
import { newId } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import type { System } from '#platform/system.ts';
import { pageAddressOf } from './addresses.ts';
import { changeBoard } from './boards.ts';
import { atItsDomain, keyOf, ofPage, type PageTx, pageOf, pageTransaction, type StatusPage } from './pages.ts';

const Word = Type.String({
  minLength: 1,
  maxLength: 40,
  pattern: '^[a-z0-9]+(-[a-z0-9]+)*$',
  description:
    'How the address begins. Latchkey adds ten characters that cannot be guessed, so no address is taken, and none tells whether a page exists. Another word makes another address, and the old one ends. When absent, the address stays; that of a new page begins with the name of the project.',
});

const AudienceField = Type.Enum(['public', 'members'], {
  description:
    '`public`: everybody who knows the address sees the page. `members`: only active members of the project who are signed in to it; others are asked to sign in, and only members are told anything.',
});

/** The page that a project manages. */
export const PageState = Type.Object(
  {
    kind: Type.Enum(['installation', 'project'], {
      description: 'The default project manages the page of the installation, every other project one of its own.',
    }),
    published: Type.Boolean({
      description: 'False: nobody sees the page, its components are not checked and its subscribers are told nothing.',
    }),
    address: Type.Union([Type.String(), Type.Null()], {
      description: 'The last part of the address. Null for the page of the installation, and before the first PUT.',
    }),
    url: Type.Union([Type.String(), Type.Null()]),
    audience: AudienceField,
    domainUrl: Type.Union([Type.String(), Type.Null()], {
      description:
        'The address at the domain that is bound to the page, to which messages lead. Null while there is none.',
    }),
  },
  { title: 'StatusPage' },
);
type PageState = Static<typeof PageState>;
export const PageChange = Type.Object(
  {
    published: Type.Boolean(),
    address: Type.Optional(Word),
    audience: Type.Optional({ ...AudienceField, description: 'When absent, it stays; a new page is public.' }),
  },
  { additionalProperties: false },
);

async function stateOf(system: System, page: StatusPage | null): Promise<PageState> {
  if (!page)
    return { kind: 'project', published: false, address: null, url: null, audience: 'public', domainUrl: null };
  const { slug, published, audience } = page;
  const kind = slug === null ? 'installation' : 'project';
  const there = await atItsDomain(system, page);
  const domainUrl = there.domain === null ? null : pageAddressOf(system, there);
  return { kind, published, address: slug, url: pageAddressOf(system, page), audience, domainUrl };
}

export async function getPage(ctx: Ctx): Promise<PageState> {
  return stateOf(ctx.system, await pageOf(ctx));
}

/**
 * Makes the page of a project, publishes or hides it, changes its address or who sees it.
 * @throws Problem CONFLICT for the page of the installation
 */
export async function putPage(ctx: Ctx, change: Static<typeof PageChange>): Promise<PageState> {
  const { published, address } = change;
  const present = await pageOf(ctx);
  if (present && present.slug === null)
    throw problem('CONFLICT', 'The page of the installation is always public, at its own address.');
  const { workspaceId, environment } = ctx.scope;
  const word = address ?? wordOf((await projectOf(ctx.system, ctx.scope)).projectName);
  const place = { key: keyOf(ctx.scope), workspaceId, environment };
  const audience = change.audience ?? 'public';
  const page: StatusPage = { ...place, slug: newSlug(word), domain: null, published, audience };
  const changed = await pageTransaction({ ...ctx, page }, async (tx) => {
    const made = await make(tx);
    return changeBoard(tx, async (inner, board) => {
      const kept = made || address === undefined || wordIn(board.slug) === address;
      const slug = kept ? board.slug : page.slug;
      const seenBy = change.audience ?? board.audience;
      await inner.db
        .updateTable('status_boards')
        .set({ slug, ...shownTo({ published, audience: seenBy }) })
        .where('workspace_id', '=', workspaceId)
        .where('environment', '=', page.key)
        .execute();
      await emit(inner, 'status.page.updated', { published, address: slug ?? '', audience: seenBy });
      return { ...page, slug, audience: seenBy };
    });
  });
  return stateOf(ctx.system, changed);
}

/** The columns that say who sees a page. */
function shownTo({ published, audience }: Pick<StatusPage, 'published' | 'audience'>) {
  const toMembers = audience === 'members';
  return { audience, published: published && !toMembers, shown_to_members: published && toMembers };
}

/** Inserts the board with a first group, if there is none yet. */
async function make(tx: PageTx): Promise<boolean> {
  const row = await tx.db
    .insertInto('status_boards')
    .values({ ...ofPage(tx.page), slug: tx.page.slug, ...shownTo(tx.page) })
    .onConflict((conflict) => conflict.column('environment').doNothing())
    .returning('environment')
    .executeTakeFirst();
  if (!row) return false;
  await tx.db
    .insertInto('status_groups')
    .values({ ...ofPage(tx.page), id: newId('grp', tx.now), name: 'Services', position: 100 })
    .execute();
  return true;
}

const DIGITS = 10;

function newSlug(word: string): string {
  return `${word}-${randomBytes(DIGITS / 2).toString('hex')}`;
}

/** The word with which an address begins. */
function wordIn(slug: string | null): string | undefined {
  return slug?.slice(0, -DIGITS - 1);
}

/** A word for the address from the name of a project, which may have any letters. */
function wordOf(name: string): string {
  const word = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replaceAll(/^-+|-+$/g, '');
  return word || 'status';
}
