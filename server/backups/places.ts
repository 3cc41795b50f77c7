import { folderPlace } from './folder.ts';
import type { Place } from './place.ts';
import { s3Place } from './s3.ts';

/** The place that the address names: a folder, or a bucket of an S3-compatible storage. */
export function placeAt(address: string): Place {
  return address.startsWith('s3:') ? s3Place(new URL(address)) : folderPlace(address);
}
