import type { Fields } from './fields.ts';

/** An account of a person at an identity provider, as the other system names it. */
export type OtherLink = { provider: string; subject: string; issuer?: string | undefined; email?: string | undefined };

/** What a record of another system says about a person. */
export type OtherPerson = {
  /** In the other system. */
  id: string;
  email?: string | undefined;
  emailVerified?: boolean;
  phone?: string | undefined;
  phoneVerified?: boolean;
  username?: string | undefined;
  /** In a form that Latchkey checks. */
  passwordHash?: string | undefined;
  /** Names of Latchkey's profile fields; what is empty or does not fit is left out. */
  profile?: Fields;
  customData?: Fields;
  metadata?: Fields;
  createdAt?: string | undefined;
  blocked?: boolean;
  roles?: readonly string[];
  links?: readonly OtherLink[];
  /** What stays behind, in words for the report. */
  lost?: readonly string[];
};

/** A person, or why the record is none. */
export type Mapped = OtherPerson | { skipped: string };

/** What is known beside a record: other records about the same person, and settings of the other system. */
type Beside = { records: readonly Fields[]; settings: Fields };

/** A system that people come from. */
export type Kind = {
  name: string;
  /** The field of `metadata` that keeps the id of the other system. */
  idField: string;
  /** The field of a JSON file that holds the records, where the file is one object. */
  container?: string;
  /** The keys that identity providers have here by default; null: their accounts are not comparable. */
  providers: Readonly<Record<string, string | null>>;
  /** Reads a small text file of settings; null if it is none. */
  settings?: (text: string) => Fields | null;
  /** Whose record this is, if it is no person but adds to one in another file. */
  beside?: (record: Fields) => { of: string; record: Fields } | null;
  /** The name under which {@link Kind.beside} finds the records of a person. */
  idOf?: (record: Fields) => string | undefined;
  map: (record: Fields, beside: Beside) => Mapped;
};
