import { SegmentedControl, useMantineColorScheme } from '@mantine/core';
import classes from './profile.module.css';

const SCHEMES = [
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
  { value: 'auto', label: 'System' },
] as const;

/** Remembered in this browser. */
export function Theme() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <div className={classes.foot}>
      <SegmentedControl
        size="xs"
        aria-label="Theme"
        data={[...SCHEMES]}
        value={colorScheme}
        onChange={(value) => setColorScheme(SCHEMES.find((one) => one.value === value)?.value ?? 'auto')}
      />
      <span className={classes.dim}>For this browser.</span>
    </div>
  );
}
