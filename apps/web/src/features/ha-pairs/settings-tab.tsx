import type { HaPair } from '@flotilla/contract';
import { Button, Group, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { routes } from '../../api/index.ts';
import { useCan } from '../../app/project.tsx';
import { Confirm, Notice, Problem, Refusal, Section, useSending, useWrite } from '../../ui/index.ts';
import { DeletePair } from './delete-pair.tsx';
import classes from './ha-pairs.module.css';
import { explainName, HeartbeatFields, isTaken, MemberFields, NameField, NetworkFields } from './pair-fields.tsx';
import { findProblems, type PairValues, toUpdateBody, toValues } from './pair-values.ts';
import { texts } from './texts.ts';
import { listStale, usePairPlace } from './use-pairs.ts';

const text = texts.settings;

export function SettingsTab({ pair }: { pair: HaPair }) {
  const can = useCan();
  return (
    <div className={classes.sections}>
      {can(routes.ha.update) && (
        <Section title={text.title}>
          <PairForm pair={pair} />
        </Section>
      )}
      {can(routes.ha.update) && <Key pair={pair} />}
      {can(routes.ha.push) && <Push pair={pair} />}
      {can(routes.ha.remove) && (
        <Section title={text.remove}>
          <Text size="sm" c="dimmed">
            {text.removeText}
          </Text>
          <DeletePair pair={pair} />
        </Section>
      )}
    </div>
  );
}

/** The typed values, and the revision that they started from. */
interface Edits {
  readonly before: PairValues;
  readonly revision: number;
  readonly values: PairValues;
}

function PairForm({ pair }: { pair: HaPair }) {
  const write = useWrite();
  const sending = useSending();
  const place = usePairPlace(pair);
  const [edits, setEdits] = useState<Edits>();
  const stored = toValues(pair);
  const values = edits?.values ?? stored;
  const before = edits?.before ?? stored;
  const problems = findProblems(values);
  const body = toUpdateBody(before, values);
  const isChanged = Object.keys(body).length > 0;
  const canSave = isChanged && problems.length === 0 && explainName(values.name) === undefined;
  const set = (change: Partial<PairValues>) => {
    sending.clear();
    setEdits((now) => {
      const from = now ?? { before: stored, revision: pair.config_rev, values: stored };
      return { ...from, values: { ...from.values, ...change } };
    });
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const isSaved = await sending.send(() =>
      write(routes.ha.update, { ...place, body }, { done: text.saved, stale: listStale() }),
    );
    if (isSaved) setEdits(undefined);
  };
  return (
    <form className={classes.form} onSubmit={(event) => void submit(event)} noValidate>
      <NameField name={values.name} refusal={sending.error} onChange={(name) => set({ name })} />
      <MemberFields values={values} problems={problems} set={set} hasMgmt />
      <HeartbeatFields values={values} problems={problems} set={set} />
      <NetworkFields values={values} problems={problems} set={set} />
      {isChanged && edits && edits.revision < pair.config_rev && <Notice tone="warn" title={text.changedMeanwhile} />}
      {sending.error !== undefined && !isTaken(sending.error) && <Refusal error={sending.error} what={text.failed} />}
      <Group gap="xs">
        <Button type="submit" loading={sending.isBusy} disabled={!canSave}>
          {text.save}
        </Button>
        {isChanged && (
          <Button variant="default" onClick={() => setEdits(undefined)}>
            {text.discard}
          </Button>
        )}
      </Group>
    </form>
  );
}

function Key({ pair }: { pair: HaPair }) {
  const write = useWrite();
  const place = usePairPlace(pair);
  const [isAsking, setAsking] = useState(false);
  return (
    <Section title={text.key}>
      <Text size="sm" c="dimmed" maw={720}>
        {text.keyText}
      </Text>
      <div>
        <Button variant="default" disabled={pair.state === 'rotating'} onClick={() => setAsking(true)}>
          {text.rotate}
        </Button>
      </div>
      <Confirm
        opened={isAsking}
        title={text.rotateTitle}
        action={text.rotate}
        onClose={() => setAsking(false)}
        onConfirm={() =>
          write(
            routes.ha.update,
            { ...place, body: { rotate_secret: true } },
            { done: text.rotated, stale: listStale() },
          )
        }
      >
        {text.rotateText}
      </Confirm>
    </Section>
  );
}

function Push({ pair }: { pair: HaPair }) {
  const write = useWrite();
  const sending = useSending();
  const place = usePairPlace(pair);
  return (
    <Section title={text.push}>
      <Text size="sm" c="dimmed" maw={720}>
        {texts.push.text}
      </Text>
      {sending.error !== undefined && <Problem error={sending.error} what={texts.push.failed} />}
      <div>
        <Button
          variant="default"
          loading={sending.isBusy}
          onClick={() =>
            void sending.send(() => write(routes.ha.push, place, { done: texts.push.done, stale: listStale() }))
          }
        >
          {texts.push.action}
        </Button>
      </div>
    </Section>
  );
}
