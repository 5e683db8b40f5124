import { Button, Group, SegmentedControl, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useUrlState } from '../../app/url-state.ts';
import { OwnTimes } from '../audit/index.ts';
import { texts } from './texts.tsx';
import { type AskedWindow, DEFAULT_RANGE, RANGES } from './time-window.ts';

const text = texts.windowBar;

/** Selects the time range, which is part of the URL. */
export function WindowBar({ asked, children }: { asked: AskedWindow; children?: ReactNode }) {
  const url = useUrlState();
  const { preset } = asked;
  return (
    <Group gap="xs" align="center">
      <SegmentedControl
        size="xs"
        aria-label={text.range}
        data={RANGES.map(({ value, label }) => ({ value, label }))}
        value={preset ?? ''}
        onChange={(value) =>
          url.set({ range: value === DEFAULT_RANGE ? undefined : value, from: undefined, to: undefined }, 'push')
        }
      />
      <OwnTimes time={{ range: preset, from: url.get('from'), to: url.get('to') }} isOn={preset === undefined} />
      {preset === undefined && (
        <Button variant="subtle" onClick={() => url.set({ from: undefined, to: undefined }, 'push')}>
          {text.reset}
        </Button>
      )}
      {children}
      {asked.isCut && (
        <Text size="sm" c="dimmed" role="status">
          {text.cut}
        </Text>
      )}
    </Group>
  );
}
