import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const compress = promisify(brotliCompress);

/** Writes a compressed copy beside each asset, so that the server compresses nothing on the way. */
function compressAssets(): Plugin {
  return {
    name: 'compress-assets',
    apply: 'build',
    async writeBundle({ dir = 'dist' }) {
      const assets = join(dir, 'assets');
      const files = await readdir(assets);
      const texts = files.filter((file) => /\.(js|css|svg)$/.test(file));
      await Promise.all(
        texts.map(async (file) =>
          writeFile(join(assets, `${file}.br`), await compress(await readFile(join(assets, file)))),
        ),
      );
    },
  };
}

export default defineConfig({
  base: '/console/',
  plugins: [react(), compressAssets()],
  build: {
    target: 'es2023',
    // Small files would become data: addresses, which the content security policy refuses for fonts.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 450,
  },
});
