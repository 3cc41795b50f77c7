import { useEffect, useState } from 'react';

/** Packs a draft for an address: deflated JSON in base64url. A style sheet would make the address too long otherwise. */
async function pack(json: string): Promise<string> {
  const stream = new Blob([json]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** A draft, packed; null until that is done for the first time. */
export function usePacked(draft: unknown): string | null {
  const json = JSON.stringify(draft);
  const [packed, setPacked] = useState<string | null>(null);
  useEffect(() => {
    let isCurrent = true;
    pack(json).then(
      (text) => {
        if (isCurrent) setPacked(text);
      },
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [json]);
  return packed;
}
