/** Expo replaces these when it bundles. */
declare const process: { env: Record<`EXPO_PUBLIC_${string}`, string | undefined> };
