import { Button, Checkbox, Drawer, NumberInput, PasswordInput, Select, Stack, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ApiError, call, fieldError, invalidate, routes } from '../../api/index.ts';
import { useUrlState } from '../../app/url-state.ts';
import { texts } from '../../texts/index.ts';
import { Problem, useSending } from '../../ui/index.ts';
import { CADENCES, type Cadence, PASSPHRASE_MIN, toCron } from './backup-model.ts';
import { useScope } from './scope.ts';

const text = texts.backups.schedule;
export const SCHEDULED_TYPE = 'backup.scheduled';
const KEEP_DEFAULT = 14;
const KEEP_MAX = 365;
const KEEP_DAYS_MAX = 3650;

export function ScheduleDrawer() {
  const url = useUrlState();
  const close = () => url.set({ schedule: undefined });
  return (
    <Drawer
      opened={url.get('schedule') === 'new'}
      onClose={close}
      title={text.dialog}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <ScheduleForm onDone={close} />
    </Drawer>
  );
}

function ScheduleForm({ onDone }: { onDone: () => void }) {
  const { project, query } = useScope();
  const queryClient = useQueryClient();
  const sending = useSending();
  const [name, setName] = useState('nightly-backup');
  const [cadence, setCadence] = useState<Cadence>('daily');
  const [time, setTime] = useState('03:00');
  const [keep, setKeep] = useState<number | string>(KEEP_DEFAULT);
  const [keepDays, setKeepDays] = useState<number | string>('');
  const [isSecretFree, setSecretFree] = useState(false);
  const [passphrase, setPassphrase] = useState('');
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const cron = toCron(cadence, time);
  const { error } = sending;
  const isTaken = error instanceof ApiError && error.code === 'record.exists';
  const nameError = isTaken ? error.message : fieldError(error, 'name');
  const isPhraseShort = passphrase !== '' && passphrase.length < PASSPHRASE_MIN;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (cron === undefined) return;
    const params = {
      keep: Number(keep),
      ...(keepDays !== '' && { keep_days: Number(keepDays) }),
      secret_free: isSecretFree,
      ...(!isSecretFree && passphrase !== '' && { passphrase }),
    };
    const isDone = await sending.send(() =>
      call(routes.job.createSchedule, {
        query,
        body: { name, type: SCHEDULED_TYPE, cron, time_zone: zone, params },
      }),
    );
    if (!isDone) return;
    await invalidate(queryClient, routes.job.schedules);
    onDone();
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="md">
        <TextInput
          label={text.name}
          autoComplete="off"
          value={name}
          error={nameError}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Select
          label={text.cadence}
          data={CADENCES.map((value) => ({ value, label: text.cadences[value] }))}
          allowDeselect={false}
          value={cadence}
          onChange={(value) => setCadence(CADENCES.find((one) => one === value) ?? 'daily')}
        />
        <TextInput
          label={text.time}
          description={text.zone(zone)}
          type="time"
          value={time}
          onChange={(event) => setTime(event.currentTarget.value)}
        />
        <NumberInput
          label={text.keep}
          description={text.keepHint}
          min={1}
          max={KEEP_MAX}
          allowDecimal={false}
          value={keep}
          onChange={setKeep}
        />
        <NumberInput
          label={text.keepDays}
          description={text.keepDaysHint}
          min={1}
          max={KEEP_DAYS_MAX}
          allowDecimal={false}
          value={keepDays}
          onChange={setKeepDays}
        />
        <Checkbox
          label={texts.backups.make.protections.none[0]}
          description={texts.backups.make.protections.none[1]}
          checked={isSecretFree}
          onChange={(event) => setSecretFree(event.currentTarget.checked)}
        />
        {!project && !isSecretFree && (
          <PasswordInput
            label={texts.backups.passphrase}
            description={text.passphraseHint}
            autoComplete="new-password"
            value={passphrase}
            error={isPhraseShort ? texts.backups.passphraseShort : undefined}
            onChange={(event) => setPassphrase(event.currentTarget.value)}
          />
        )}
        {error !== undefined && !nameError && <Problem error={error} what={text.failed} />}
        <div>
          <Button
            type="submit"
            loading={sending.isBusy}
            disabled={name === '' || cron === undefined || keep === '' || (isPhraseShort && !isSecretFree)}
          >
            {text.create}
          </Button>
        </div>
      </Stack>
    </form>
  );
}
