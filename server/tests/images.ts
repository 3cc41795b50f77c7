import sharp from 'sharp';

/** A square image of one colour. */
export const picture = (background: string, size = 16) =>
  sharp({ create: { width: size, height: size, channels: 3, background } });
