import type { RestorePlan } from '@flotilla/contract';
import { NativeSelect, TextInput } from '@mantine/core';
import type { Ref } from 'react';
import { texts } from '../../../texts/index.ts';
import { toWord } from '../../../ui/index.ts';
import lines from '../../../ui/rows.module.css';
import { type Exception, listChoices } from './exceptions.ts';

const text = texts.backups.restore;

interface ConflictLineProps {
  readonly conflict: RestorePlan['conflicts'][number];
  readonly chosen: Exception;
  readonly onChange: (to: Partial<Exception>) => void;
  readonly ref?: Ref<HTMLLIElement> | undefined;
}

/** One record whose name is taken, and what is done with it. */
export function ConflictLine({ conflict, chosen: { choice, name }, onChange, ref }: ConflictLineProps) {
  const choices = listChoices(conflict);
  return (
    <li className={lines.row} ref={ref} tabIndex={-1}>
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
