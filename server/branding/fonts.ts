import type { Font } from '#settings';

/** Fonts that devices have; nothing is loaded from anywhere. Each ends with a family that every browser knows. */
const STACKS: Readonly<Record<Font, string>> = {
  humanist: 'Seravek,"Gill Sans Nova",Ubuntu,Calibri,"DejaVu Sans",sans-serif',
  geometric: 'Avenir,Montserrat,Corbel,"URW Gothic",sans-serif',
  rounded: 'ui-rounded,"Hiragino Maru Gothic ProN",Quicksand,Comfortaa,"Arial Rounded MT Bold",sans-serif',
  serif: 'Charter,"Bitstream Charter","Sitka Text",Cambria,Georgia,serif',
  slab: 'Rockwell,"Rockwell Nova","Roboto Slab","DejaVu Serif",serif',
  monospace: 'ui-monospace,"Cascadia Code","Source Code Pro",Menlo,Consolas,"DejaVu Sans Mono",monospace',
};

/** The value of `font-family` for a font of a branding; null for that of the device. */
export function fontFamily(font: Font | null | undefined): string | null {
  return font ? STACKS[font] : null;
}
