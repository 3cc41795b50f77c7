import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const compress = promisify(brotliCompress);

/** Stores each text compressed instead. The server decompresses it for the few clients that do not take it so. */
function compressAssets(): Plugin {
  return {
    name: 'compress-assets',
    apply: 'build',
    async writeBundle({ dir = 'dist' }) {
      const assets = join(dir, 'assets');
      const files = await readdir(assets);
      const texts = files.filter((file) => /\.(js|css|svg)$/.test(file));
      await Promise.all(
        texts.map(async (file) => {
          await writeFile(join(assets, `${file}.br`), await compress(await readFile(join(assets, file))));
          await rm(join(assets, file));
        }),
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
