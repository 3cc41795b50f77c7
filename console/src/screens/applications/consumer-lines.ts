import type { Application } from '#api/records.ts';

type Consumers = NonNullable<Application['saml']>['consumers'];

/**
 * The assertion consumer services in a text, one address per line. A service provider may name them by their index: an
 * address that is moved or edited keeps its index, and a new one gets an index of its own.
 */
export function consumersIn(text: string, before: Consumers): Consumers {
  const urls = text.split('\n').map((line) => line.trim());
  const kept = new Map(before.filter(({ url }) => urls.includes(url)).map(({ url, index }) => [url, index]));
  const taken = new Set(kept.values());
  const next = (place: number): number => {
    const edited = before[place]?.index;
    const index = edited === undefined || taken.has(edited) ? Math.max(-1, ...taken) + 1 : edited;
    taken.add(index);
    return index;
  };
  return urls.map((url, place) => ({ url, index: kept.get(url) ?? next(place) }));
}
