/** The keywords of RFC 7644 §3.12 that this server uses. */
type ScimType =
  | 'invalidFilter'
  | 'tooMany'
  | 'uniqueness'
  | 'mutability'
  | 'invalidSyntax'
  | 'invalidPath'
  | 'noTarget'
  | 'invalidValue';

/** An error in the format of SCIM. The message is for the administrator of the directory. */
export class ScimError extends Error {
  readonly status: number;
  readonly scimType: ScimType | undefined;

  constructor(status: number, message: string, scimType?: ScimType) {
    super(message);
    this.status = status;
    this.scimType = scimType;
  }
}

/** A value or syntax that the client must correct. */
export function invalid(scimType: ScimType, message: string): ScimError {
  return new ScimError(400, message, scimType);
}
