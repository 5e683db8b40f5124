import { Button, Group, SegmentedControl, Select, Text } from '@mantine/core';
import { useUrlState } from '../../app/url-state.ts';
import { OwnTimes } from '../audit/index.ts';
import { texts } from './texts.tsx';
import { type AskedWindow, RANGES } from './time-window.ts';

const text = texts.bar;

const COMPARISONS = [
  { value: '', label: text.nothing },
  { value: 'previous', label: text.previous },
  { value: 'day', label: text.day },
  { value: 'week', label: text.week },
];

/** Selects the time range and what to compare it with; both are parts of the URL. */
export function WindowBar({ asked, step }: { asked: AskedWindow; step: string | undefined }) {
  const url = useUrlState();
  const { preset, comparison } = asked;
  return (
    <Group gap="xs" align="center">
      <SegmentedControl
        size="xs"
        aria-label={text.range}
        data={RANGES.map(({ value, label }) => ({ value, label }))}
        value={preset ?? ''}
        onChange={(value) =>
          url.set({ range: value === '1h' ? undefined : value, from: undefined, to: undefined }, 'push')
        }
      />
      <OwnTimes time={{ range: preset, from: url.get('from'), to: url.get('to') }} isOn={preset === undefined} />
      {preset === undefined && (
        <Button variant="subtle" onClick={() => url.set({ from: undefined, to: undefined }, 'push')}>
          {text.resetZoom}
        </Button>
      )}
      <Select
        size="xs"
        w={210}
        aria-label={text.compare}
        data={COMPARISONS}
        value={comparison ?? ''}
        allowDeselect={false}
        onChange={(value) => url.set({ compare: value || undefined }, 'push')}
      />
      <Text size="sm" c="dimmed">
        {step !== undefined && <>{text.step(step)}. </>}
        {text.zoomHint}
      </Text>
    </Group>
  );
}
