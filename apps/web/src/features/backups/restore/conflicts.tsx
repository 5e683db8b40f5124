import type { RestorePlan } from '@flotilla/contract';
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { call, routes } from '../../../api/index.ts';
import type { Project } from '../../../app/project.tsx';
import { texts } from '../../../texts/index.ts';
import { Problem, toWord, useSending } from '../../../ui/index.ts';
import layout from '../../../ui/layout.module.css';
import lines from '../../../ui/rows.module.css';
import { type Exception, isException, listChoices, readException, toRecords } from './exceptions.ts';
import type { Opened } from './open-step.tsx';

const text = texts.backups.restore;
const SHOWN_MAX = 50;

interface ConflictsProps {
  readonly opened: Opened;
  readonly project: Project;
  readonly onReplanned: (opened: Opened) => void;
  /** What is shown below does not hold for what is chosen now. */
  readonly onChanged: (isChanged: boolean) => void;
}

/** What is done with each record whose name is taken; another choice makes another plan. */
export function Conflicts({ opened: { plan, body }, project, onReplanned, onChanged }: ConflictsProps) {
  const sending = useSending();
  const [chosen, setChosen] = useState(() => plan.conflicts.map(readException));
  const isChanged = chosen.some((one, i) => isException(one, plan.conflicts[i]));
  const choose = (at: number, to: Partial<Exception>) => {
    const after = chosen.map((one, i) => (i === at ? { ...one, ...to } : one));
    setChosen(after);
    onChanged(after.some((one, i) => isException(one, plan.conflicts[i])));
  };
  const replan = (event: FormEvent) => {
    event.preventDefault();
    void sending.send(async () => {
      const anew = { ...body, by_record: toRecords(plan.conflicts, chosen, body) };
      const { body: planned } = await call(routes.backup.plan, { query: { project: project.id }, body: anew });
      onReplanned({ body: anew, plan: planned });
    });
  };
  return (
    <form className={layout.stack} onSubmit={replan}>
      <strong>{text.taken(plan.conflicts.length)}</strong>
      <ul className={lines.rows} aria-label={text.taken(plan.conflicts.length)}>
        {plan.conflicts.slice(0, SHOWN_MAX).map((conflict, i) => (
          <Line
            key={`${conflict.kind} ${conflict.name}`}
            conflict={conflict}
            chosen={chosen[i] ?? readException(conflict)}
            onChange={(to) => choose(i, to)}
          />
        ))}
      </ul>
      {plan.conflicts.length > SHOWN_MAX && (
        <p className={layout.note}>{text.more(plan.conflicts.length - SHOWN_MAX)}</p>
      )}
      {sending.error !== undefined && <Problem error={sending.error} what={text.lookFailed} />}
      {isChanged && (
        <div>
          <Button type="submit" loading={sending.isBusy}>
            {text.lookAgain}
          </Button>
        </div>
      )}
    </form>
  );
}

interface LineProps {
  readonly conflict: RestorePlan['conflicts'][number];
  readonly chosen: Exception;
  readonly onChange: (to: Partial<Exception>) => void;
}

function Line({ conflict, chosen: { choice, name }, onChange }: LineProps) {
  const choices = listChoices(conflict);
  return (
    <li className={lines.row}>
      <span className={lines.grow}>
        {toWord(conflict.kind)}: <bdi className="mono">{conflict.name}</bdi>
      </span>
      <NativeSelect
        size="xs"
        aria-label={text.choiceFor(conflict.name)}
        value={choice}
        disabled={choices.length === 1}
        data={choices.map((one) => ({ value: one, label: text.choices[one] }))}
        onChange={({ currentTarget: { value } }) => {
          const to = choices.find((one) => one === value);
          if (to) onChange({ choice: to });
        }}
      />
      {choice === 'rename' && choices.length > 1 && (
        <TextInput
          size="xs"
          className="mono"
          aria-label={text.newName(conflict.name)}
          autoComplete="off"
          spellCheck={false}
          value={name}
          onChange={({ currentTarget: { value } }) => onChange({ name: value })}
        />
      )}
    </li>
  );
}
