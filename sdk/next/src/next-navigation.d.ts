/** Next.js has no map of its exports, so TypeScript finds the file only by its ending; the bundler knows the name only without. */
declare module 'next/navigation' {
  export { redirect } from 'next/navigation.js';
}
