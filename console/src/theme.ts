import { createTheme, type MantineColorsTuple, rem } from '@mantine/core';

/** Latchkey's blue, from lightest to darkest; white text on shade 6 has a contrast of more than 4.5:1. */
const blue: MantineColorsTuple = [
  '#eef4ff',
  '#dbe7fe',
  '#b9d0fc',
  '#8fb3f8',
  '#6595f2',
  '#3f78e8',
  '#1f5fd6',
  '#194eb3',
  '#173f8d',
  '#15336d',
];

const dark: MantineColorsTuple = [
  '#e6e8ec',
  '#c3c8d1',
  '#9aa2af',
  '#79828f',
  '#3a414d',
  '#2c323c',
  '#20252d',
  '#181c22',
  '#121519',
  '#0c0e11',
];

const gray: MantineColorsTuple = [
  '#f8f9fb',
  '#f1f3f6',
  '#e5e8ed',
  '#d5dae1',
  '#bdc4ce',
  '#98a1ae',
  '#6b7480',
  '#4d5560',
  '#343a43',
  '#1d2127',
];

/** The minimum size of touch targets (WCAG 2.2, 2.5.8). */
const TARGET = rem(24);

/** A dialog's header must not have the role `banner`. */
const noBanner = { attributes: { header: { role: 'presentation' } } };

const compact = { defaultProps: { size: 'sm' } };

export const theme = createTheme({
  colors: { blue, dark, gray },
  primaryColor: 'blue',
  primaryShade: { light: 6, dark: 6 },
  black: '#1d2127',
  fontFamily: "'Inter Variable', system-ui, -apple-system, 'Segoe UI', sans-serif",
  fontFamilyMonospace: "'JetBrains Mono Variable', ui-monospace, SFMono-Regular, Menlo, Consolas, monospace",
  fontSizes: { xs: rem(12), sm: rem(13), md: rem(14), lg: rem(16), xl: rem(20) },
  lineHeights: { xs: '1.4', sm: '1.45', md: '1.5', lg: '1.5', xl: '1.4' },
  headings: { fontFamily: "'Inter Variable', system-ui, sans-serif", fontWeight: '620' },
  defaultRadius: 'sm',
  radius: { xs: rem(4), sm: rem(6), md: rem(8), lg: rem(12), xl: rem(20) },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Button: {
      defaultProps: { size: 'xs' },
      vars: (_: unknown, { size }: { size?: string }) => ({
        root: size === 'compact-xs' ? { '--button-height': TARGET } : {},
      }),
    },
    ActionIcon: {
      vars: (_: unknown, { size }: { size?: string }) => ({
        root: size === 'xs' || size === 'sm' ? { '--ai-size': TARGET } : {},
      }),
    },
    Pill: { vars: () => ({ root: { '--pill-height': TARGET } }) },
    TextInput: compact,
    PasswordInput: compact,
    // What was typed is kept and reported, not changed to the nearest valid number.
    NumberInput: { defaultProps: { ...compact.defaultProps, clampBehavior: 'none' } },
    Select: compact,
    MultiSelect: compact,
    TagsInput: compact,
    Textarea: { defaultProps: { size: 'sm', autosize: true, minRows: 3 } },
    Switch: compact,
    Checkbox: compact,
    Radio: compact,
    SegmentedControl: { defaultProps: { size: 'xs' } },
    // The green of a title does not contrast enough with the green behind it (WCAG 1.4.3).
    Alert: { styles: { label: { color: 'var(--mantine-color-text)' } } },
    Modal: { defaultProps: { centered: true, radius: 'md', padding: 'lg', ...noBanner } },
    Drawer: { defaultProps: noBanner },
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
    Tooltip: { defaultProps: { openDelay: 300, withArrow: true } },
  },
});
