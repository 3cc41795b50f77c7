import { createRequire } from 'node:module';
import type { Feed } from 'feed';
import { type Html, html } from '#platform/html.ts';
import type { System } from '#platform/system.ts';
import { originOf, pathOn, queryOn } from './addresses.ts';
import { incidentTitle, type StoredIncident } from './incident-records.ts';
import type { StoredMaintenance } from './maintenance-records.ts';
import { type Addresses, addressesOf } from './statuspage.ts';
import { namesOf, standardVoice, timeOf, type View } from './view.ts';
import type { Maker } from './views.ts';
import type { Voice } from './words.ts';

const require = createRequire(import.meta.url);

/** Loaded at first use. */
const feedLibrary = (): typeof import('feed') => require('feed');

const MAX_ENTRIES = 50;

const formats = {
  // RSS readers disagree on whether a title is HTML or plain text, so it is escaped.
  'history.rss': { type: 'application/rss+xml; charset=utf-8', title: escaped, write: (feed: Feed) => feed.rss2() },
  'history.atom': { type: 'application/atom+xml; charset=utf-8', title: legible, write: (feed: Feed) => feed.atom1() },
  'history.json': { type: 'application/feed+json; charset=utf-8', title: legible, write: jsonFeed },
} as const;

type FeedName = keyof typeof formats;
export const feedNames = Object.keys(formats).filter((name): name is FeedName => name in formats);

/** The media type of a feed. */
export function feedType(name: FeedName): string {
  return formats[name].type.split(';', 1)[0] ?? '';
}

/** Incidents and maintenances as RSS 2.0, Atom (RFC 4287) or JSON Feed 1.1. */
export function feedMaker(name: FeedName, system: System): Maker {
  const { type, title, write } = formats[name];
  const addresses = addressesOf(system);
  return { key: name, type, make: (view) => write(feedOf(view, { addresses, system, title })) };
}

type Frame = { addresses: Addresses; system: System; title: (text: string) => string };

function feedOf(view: View, { addresses, system, title: titled }: Frame): Feed {
  const voice = standardVoice(view);
  const nameOf = namesOf(view, voice);
  const address = (name: FeedName) =>
    `${originOf(system, view.page)}${pathOn(view.page, `/api/status/${name}`)}${queryOn(view.page)}`;
  const subjects = [...view.incidents, ...view.maintenances]
    .sort((one, other) => other.updatedAt.localeCompare(one.updatedAt))
    .slice(0, MAX_ENTRIES);
  const feed = new (feedLibrary().Feed)({
    id: addresses(view),
    title: legible(voice.say('title', { name: view.name })),
    description: legible(`${voice.say('incidents.all')} · ${voice.say('maintenance.title')}`),
    link: addresses(view),
    language: voice.language,
    generator: false,
    copyright: '',
    updated: new Date(subjects[0]?.updatedAt ?? view.components[0]?.createdAt ?? 0),
    feedLinks: { atom: address('history.atom'), json: address('history.json'), rss: address('history.rss') },
  });
  for (const subject of subjects) {
    const link = addresses(view, `/incidents/${subject.id}`);
    feed.addItem({
      id: link,
      guid: link,
      link,
      title: titled('severity' in subject ? incidentTitle(subject, voice, nameOf) : subject.title),
      published: new Date(subject.createdAt),
      date: new Date(subject.updatedAt),
      content: legible(String(story(subject, voice))),
    });
  }
  return feed;
}

/** The library writes version 1.0, of which 1.1 is a superset: https://www.jsonfeed.org/version/1.1/ */
function jsonFeed(feed: Feed): string {
  return JSON.stringify({
    ...JSON.parse(feed.json1()),
    version: 'https://jsonfeed.org/version/1.1',
    language: feed.options.language,
  });
}

function story(subject: StoredIncident | StoredMaintenance, { say }: Voice): Html {
  const updates = subject.updates.map(
    ({ phase, body, at }) =>
      html`<p><strong>${say(phase)}</strong> · ${timeOf(at)}<br>${body || say(`own.${phase}`)}</p>`,
  );
  return 'beginsAt' in subject
    ? html`<p>${say('maintenance.window', { begins: timeOf(subject.beginsAt), ends: timeOf(subject.endsAt) })}</p>${updates}`
    : html`${updates}`;
}

function escaped(text: string): string {
  return String(html`${legible(text)}`);
}

/** Removes control characters (XML 1.0 §2.2) and escapes the end of a CDATA section. */
function legible(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the expression matches control characters
  return text.replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '').replaceAll(']]>', ']]&gt;');
}
