import { type Static, type TObject, Type } from 'typebox';

/** All event types and their data. Parts add theirs by merging into this interface. */
// biome-ignore lint/suspicious/noEmptyInterface: the parts fill it by declaration merging
export interface Events {}
export type EventType = keyof Events & string;

/** The meaning, the data and an example of an event type. */
export type EventDefinition<Data extends TObject = TObject> = {
  version: number;
  description: string;
  data: Data;
  example: Static<Data>;
};

/** The data of the events that a part declares, by type. */
export type EventData<Declared extends Record<string, EventDefinition>> = {
  [Type in keyof Declared]: Static<Declared[Type]['data']>;
};

export function define<const Data extends TObject>(
  description: string,
  data: Data,
  example: Static<Data>,
): EventDefinition<Data> {
  return { version: 1, description, data, example };
}

export const text = Type.String();
export const userId = 'usr_01kaz3w9hqf8p9n2m4v5x6y7z8';
export const applicationId = 'app_01kaz3w9hqf8p9n2m4v5x6y7z8';
