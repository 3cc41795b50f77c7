const UNITS = ['bytes', 'kB', 'MB', 'GB'];

/** A human-readable size: 12.3 MB. */
export function sizeOf(bytes: number): string {
  const step = bytes < 1000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1000 ** step).toLocaleString('en', { maximumFractionDigits: 1 })} ${UNITS[step]}`;
}
