import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core';
import table from '../ui/table/mantine-table.module.css';
import { texts } from '../ui/texts.tsx';

const CLOSE = { 'aria-label': texts.close };
/** Makes dialogs and drawers stand out from the page in the dark theme, too. */
const RAISED = { backgroundColor: 'var(--f-raised)' };
/** Long names break instead of being cut. */
const WRAPPED = { overflowWrap: 'anywhere' } as const;
const EDGE = '1px solid var(--f-line)';
const TITLE = { fontSize: '1rem', fontWeight: 600, lineHeight: 1.35, overflowWrap: 'anywhere' } as const;

/** The one accent: a blue that keeps 4.5:1 on both backgrounds in the shades used for text. */
const accent: MantineColorsTuple = [
  '#eef2ff',
  '#dfe6fd',
  '#bccbf9',
  '#96adf4',
  '#7590ef',
  '#5677e8',
  '#3f62df',
  '#3056d3',
  '#2747b3',
  '#1d368c',
];

const gray: MantineColorsTuple = [
  '#fafafa',
  '#f4f4f5',
  '#e8e8ea',
  '#dcdcdf',
  '#c4c4c9',
  '#a0a0a8',
  '#74747d',
  '#5b5b63',
  '#3f3f46',
  '#1f1f23',
];

const dark: MantineColorsTuple = [
  '#e4e4e7',
  '#b8b8bf',
  '#9d9da6',
  '#71717a',
  '#3f3f46',
  '#303036',
  '#232328',
  '#18181b',
  '#121214',
  '#0c0c0e',
];

export const theme = createTheme({
  primaryColor: 'accent',
  primaryShade: { light: 7, dark: 7 },
  colors: { accent, gray, dark },
  fontFamily: "'Inter Variable', system-ui, -apple-system, 'Segoe UI', sans-serif",
  // System font: a downloaded one would cost a tenth of the first load.
  fontFamilyMonospace: "ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace",
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.125rem' },
  headings: {
    fontWeight: '600',
    sizes: { h1: { fontSize: '1.25rem' }, h2: { fontSize: '1rem' }, h3: { fontSize: '0.875rem' } },
  },
  defaultRadius: 'sm',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Button: { defaultProps: { size: 'xs' } },
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray' } },
    TextInput: { defaultProps: { size: 'sm' } },
    PasswordInput: { defaultProps: { size: 'sm' } },
    Select: { defaultProps: { size: 'sm' } },
    MultiSelect: { defaultProps: { size: 'sm' } },
    Textarea: { defaultProps: { size: 'sm' } },
    // Without a background it would look like plain text in the dark theme.
    SegmentedControl: { styles: { root: { backgroundColor: 'var(--f-hover)' } } },
    Table: { classNames: { table: table.table, th: table.th, tr: table.tr, td: table.td } },
    Tooltip: {
      defaultProps: { openDelay: 300, events: { hover: true, focus: true, touch: true }, maw: 360, multiline: true },
    },
    // Checkboxes and the like need contrast to the popover.
    Popover: { styles: { dropdown: { ...RAISED, borderColor: 'var(--f-line-strong)' } } },
    Menu: { styles: { dropdown: { ...RAISED, borderColor: 'var(--f-line-strong)' } } },
    Modal: {
      defaultProps: { centered: true, overlayProps: { backgroundOpacity: 0.4 }, closeButtonProps: CLOSE },
      styles: { content: { ...RAISED, border: EDGE }, header: RAISED, title: TITLE, body: WRAPPED },
    },
    Drawer: {
      defaultProps: { position: 'right', overlayProps: { backgroundOpacity: 0.3 }, closeButtonProps: CLOSE },
      styles: { content: { ...RAISED, borderLeft: EDGE }, header: RAISED, title: TITLE, body: WRAPPED },
    },
    // The page has one banner landmark; the header of a dialog is not one.
    ModalHeader: { defaultProps: { role: 'presentation' } },
    Notification: { defaultProps: { closeButtonProps: CLOSE } },
    DrawerHeader: { defaultProps: { role: 'presentation' } },
  },
});

/** Colours by meaning. Screens use these and Mantine's own, never literal colours. */
export const resolveCssVariables: CSSVariablesResolver = () => ({
  variables: {
    '--f-sidebar-width': '216px',
  },
  light: {
    '--mantine-color-body': '#ffffff',
    '--mantine-color-dimmed': '#5b5b63',
    '--mantine-color-placeholder': '#74747d',
    '--mantine-color-error': '#c0262d',
    '--f-surface': '#fafafa',
    '--f-raised': '#ffffff',
    '--f-line': '#e8e8ea',
    '--f-line-strong': '#c4c4c9',
    '--f-hover': '#f4f4f5',
    '--f-selected': '#eef2ff',
    '--f-link': '#2747b3',
    '--f-good': '#15803d',
    '--f-busy': '#2747b3',
    '--f-warn': '#a15c07',
    '--f-bad': '#c0262d',
    '--f-quiet': '#5b5b63',
    '--f-good-soft': '#eaf7ee',
    '--f-busy-soft': '#eef2ff',
    '--f-warn-soft': '#fdf4e3',
    '--f-bad-soft': '#fdecec',
  },
  dark: {
    '--mantine-color-body': '#121214',
    '--mantine-color-dimmed': '#a3a3ad',
    '--mantine-color-placeholder': '#8b8b95',
    '--mantine-color-error': '#ff8a8a',
    '--f-surface': '#18181b',
    '--f-raised': '#1c1c20',
    '--f-line': '#2a2a30',
    '--f-line-strong': '#46464f',
    '--f-hover': '#232328',
    '--f-selected': '#1d2440',
    '--f-link': '#96adf4',
    '--f-good': '#5fd08a',
    '--f-busy': '#96adf4',
    '--f-warn': '#e9b35c',
    '--f-bad': '#ff8a8a',
    '--f-quiet': '#a3a3ad',
    '--f-good-soft': '#13291b',
    '--f-busy-soft': '#1d2440',
    '--f-warn-soft': '#2e230f',
    '--f-bad-soft': '#361719',
  },
});
