import { type Static, type TObject, Type } from 'typebox';

/** The meaning, the data and an example of an event type. */
export type Definition<Data extends TObject = TObject> = {
  version: number;
  description: string;
  data: Data;
  example: Static<Data>;
};

export function define<const Data extends TObject>(
  description: string,
  data: Data,
  example: Static<Data>,
): Definition<Data> {
  return { version: 1, description, data, example };
}

export const text = Type.String();
export const userId = 'usr_01kaz3w9hqf8p9n2m4v5x6y7z8';
export const applicationId = 'app_01kaz3w9hqf8p9n2m4v5x6y7z8';
