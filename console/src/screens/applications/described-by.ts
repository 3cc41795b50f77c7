/** What the API takes of the metadata of a service provider that a person entered: an address, or XML. */
export function describedBy(text: string) {
  const written = text.trim();
  return /^https?:\/\//.test(written) ? { metadataUrl: written } : { metadata: written };
}
