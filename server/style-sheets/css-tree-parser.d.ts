/** The parser alone: the whole library holds ten times as much memory. Its types come with those of the library. */
declare module 'css-tree/parser' {
  // biome-ignore lint/style/noDefaultExport: the library exports it so
  export { parse as default } from 'css-tree';
}
