import { Group, SegmentedControl, useMantineColorScheme } from '@mantine/core';
import lines from '../../ui/rows.module.css';
import { texts } from './texts.tsx';

const text = texts.themeChoice;

const SCHEMES = [
  { value: 'light', label: text.schemes.light },
  { value: 'dark', label: text.schemes.dark },
  { value: 'auto', label: text.schemes.auto },
] as const;

export function Theme() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Group gap="xs">
      <SegmentedControl
        size="xs"
        aria-label={text.theme.title}
        data={[...SCHEMES]}
        value={colorScheme}
        onChange={(value) => setColorScheme(SCHEMES.find((one) => one.value === value)?.value ?? 'auto')}
      />
      <span className={lines.dim}>{text.theme.forThisBrowser}</span>
    </Group>
  );
}
