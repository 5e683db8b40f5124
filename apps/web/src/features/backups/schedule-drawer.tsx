import { Checkbox, NumberInput, PasswordInput, Select, TextInput } from '@mantine/core';
import { routes } from '../../api/index.ts';
import { ApiFormBody, explainValue, rulesOf, UrlDrawer, useApiForm, useWrite } from '../../ui/index.ts';
import { CADENCES, type Cadence, toCron } from './backup-model.ts';
import { useScope } from './scope.ts';
import { texts } from './texts.ts';

const text = texts.schedule;
export const SCHEDULED_TYPE = 'backup.scheduled';
const INITIAL = {
  name: 'nightly-backup',
  cadence: 'daily' as Cadence,
  time: '03:00',
  keep: 14 as number | string,
  keepDays: '' as number | string,
  isSecretFree: false,
  passphrase: '',
};

export function ScheduleDrawer() {
  return (
    <UrlDrawer name="schedule" value="new" title={text.dialog}>
      {(_, close) => <ScheduleForm onDone={close} />}
    </UrlDrawer>
  );
}

function ScheduleForm({ onDone }: { onDone: () => void }) {
  const { project } = useScope();
  const { form, zone } = useScheduleForm(onDone);
  const { cadence, time, keep, isSecretFree } = form.values;
  return (
    <ApiFormBody
      form={form}
      action={text.create}
      failed={text.failed}
      isReady={toCron(cadence, time) !== undefined && keep !== ''}
    >
      <TextInput label={text.name} autoComplete="off" {...form.field('name')} />
      <Select
        label={text.cadence}
        data={CADENCES.map((value) => ({ value, label: text.cadences[value] }))}
        allowDeselect={false}
        {...form.field('cadence')}
      />
      <TextInput label={text.time} description={text.zone(zone)} type="time" {...form.field('time')} />
      <NumberInput
        label={text.keep}
        description={text.keepHint}
        min={1}
        max={365}
        allowDecimal={false}
        {...form.field('keep')}
      />
      <NumberInput
        label={text.keepDays}
        description={text.keepDaysHint}
        min={1}
        max={3650}
        allowDecimal={false}
        {...form.field('keepDays')}
      />
      <Checkbox
        label={texts.make.protections.none[0]}
        description={texts.make.protections.none[1]}
        {...form.field('isSecretFree', 'checkbox')}
      />
      {!project && !isSecretFree && (
        <PasswordInput
          label={texts.passphrase}
          description={text.passphraseHint}
          autoComplete="new-password"
          {...form.field('passphrase')}
        />
      )}
    </ApiFormBody>
  );
}

function useScheduleForm(onDone: () => void) {
  const { query } = useScope();
  const write = useWrite();
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const form = useApiForm({
    route: routes.job.createSchedule,
    initial: INITIAL,
    messages: { 'record.exists': 'name' },
    // The parameters of a job have no schema in the contract.
    check: ({ isSecretFree, passphrase }) => (isSecretFree ? {} : { passphrase: explainPassphrase(passphrase) }),
    send: async ({ name, cadence, time, keep, keepDays, isSecretFree, passphrase }) => {
      const cron = toCron(cadence, time);
      if (cron === undefined) return;
      const params = {
        keep: Number(keep),
        ...(keepDays !== '' && { keep_days: Number(keepDays) }),
        secret_free: isSecretFree,
        ...(!isSecretFree && passphrase !== '' && { passphrase }),
      };
      const body = { name, type: SCHEDULED_TYPE, cron, time_zone: zone, params };
      await write(routes.job.createSchedule, { query, body }, { stale: [routes.job.schedules] });
      onDone();
    },
  });
  return { form, zone };
}

function explainPassphrase(passphrase: string): string | undefined {
  const rule = rulesOf(routes.backup.export).passphrase;
  return rule && explainValue(rule, passphrase);
}
