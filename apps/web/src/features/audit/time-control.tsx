import { Button, Group, Popover, SegmentedControl, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useUrlState } from '../../app/url-state.ts';
import { texts } from './texts.tsx';
import { type AskedTime, fromLocalInput, PRESETS, presetOf, toLocalInput } from './time-range.ts';

const text = texts.timeControl;

/** Selects a preset or a custom range. */
export function TimeControl({ time }: { time: AskedTime }) {
  const url = useUrlState();
  const preset = presetOf(time);
  return (
    <Group gap="xs">
      <SegmentedControl
        size="xs"
        aria-label={text.control.title}
        data={PRESETS.map(({ id, label }) => ({ value: id, label }))}
        value={preset ?? ''}
        onChange={(id) => url.set({ range: id === '7d' ? undefined : id, from: undefined, to: undefined }, 'push')}
      />
      <OwnTimes time={time} isOn={preset === undefined} />
    </Group>
  );
}

export function OwnTimes({ time, isOn }: { time: AskedTime; isOn: boolean }) {
  const url = useUrlState();
  const [isOpen, setOpen] = useState(false);
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const toggle = () => {
    setFrom(toLocalInput(time.from));
    setTo(toLocalInput(time.to));
    setOpen(!isOpen);
  };
  const apply = () => {
    url.set({ range: undefined, from: fromLocalInput(from), to: fromLocalInput(to) }, 'push');
    setOpen(false);
  };
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-start" withArrow trapFocus returnFocus>
      <Popover.Target>
        <Button variant={isOn ? 'light' : 'default'} onClick={toggle} aria-expanded={isOpen}>
          {text.ownTimes.fromAndTo}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={text.ownTimes.fromAndTo}>
        <Stack
          gap="sm"
          component="form"
          onSubmit={(event: FormEvent) => {
            event.preventDefault();
            apply();
          }}
        >
          <TextInput
            type="datetime-local"
            label={text.ownTimes.from}
            value={from}
            onChange={(event) => setFrom(event.currentTarget.value)}
          />
          <TextInput
            type="datetime-local"
            label={text.ownTimes.before}
            value={to}
            error={from !== '' && to !== '' && to <= from ? text.ownTimes.mustBeLater : undefined}
            onChange={(event) => setTo(event.currentTarget.value)}
          />
          <Button type="submit" disabled={from !== '' && to !== '' && to <= from}>
            {text.ownTimes.show}
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
