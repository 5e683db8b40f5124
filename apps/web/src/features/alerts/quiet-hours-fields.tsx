import { type QuietHours, WEEKDAYS } from '@flotilla/contract';
import { Checkbox, Group, TextInput } from '@mantine/core';
import { fieldError } from '../../api/index.ts';
import { toWord } from '../../ui/index.ts';
import { firstQuietHours } from './rule-model.ts';
import { texts } from './texts.ts';

const text = texts.rules;

interface QuietHoursFieldsProps {
  readonly hours: QuietHours | null;
  readonly error: unknown;
  readonly onChange: (hours: QuietHours | null) => void;
}

export function QuietHoursFields({ hours, error, onChange }: QuietHoursFieldsProps) {
  const begin = () => firstQuietHours(Intl.DateTimeFormat().resolvedOptions().timeZone);
  return (
    <>
      <Checkbox
        label={text.quiet}
        checked={hours !== null}
        onChange={(event) => onChange(event.currentTarget.checked ? begin() : null)}
      />
      {hours && (
        <>
          <TextInput
            label={text.zone}
            value={hours.time_zone}
            error={fieldError(error, 'quiet_hours.time_zone')}
            onChange={(event) => onChange({ ...hours, time_zone: event.currentTarget.value })}
          />
          <Checkbox.Group
            label={text.weekdays}
            value={hours.weekdays}
            onChange={(days) => onChange({ ...hours, weekdays: WEEKDAYS.filter((day) => days.includes(day)) })}
          >
            <Group gap="md" mt={4}>
              {WEEKDAYS.map((day) => (
                <Checkbox key={day} value={day} label={toWord(day)} />
              ))}
            </Group>
          </Checkbox.Group>
          <Group grow>
            <TextInput
              label={text.from}
              type="time"
              value={hours.from}
              error={fieldError(error, 'quiet_hours.from')}
              onChange={(event) => onChange({ ...hours, from: event.currentTarget.value })}
            />
            <TextInput
              label={text.to}
              type="time"
              value={hours.to}
              error={fieldError(error, 'quiet_hours.to')}
              onChange={(event) => onChange({ ...hours, to: event.currentTarget.value })}
            />
          </Group>
        </>
      )}
    </>
  );
}
