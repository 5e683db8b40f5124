import { Button, Fieldset, Popover, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useUrlState } from '../../../app/url-state.ts';
import { fromLocalInput, toLocalInput } from '../../audit/index.ts';
import { type AskedSpan, isRange, type OwnRanges, TIME_NAMES } from './spans.ts';
import { texts } from './texts.tsx';

const text = texts.own;

/** Chooses two own ranges, which the URL keeps. */
export function OwnRangesControl({ asked }: { asked: AskedSpan }) {
  const url = useUrlState();
  const [isOpen, setOpen] = useState(false);
  const [draft, setDraft] = useState<OwnRanges>(() => toDraft(asked));
  const toggle = () => {
    setDraft(toDraft(asked));
    setOpen(!isOpen);
  };
  const times = TIME_NAMES.map((name) => fromLocalInput(draft[name]));
  const [from, to, baseFrom, baseTo] = times;
  const isComplete = times.every((time) => time !== undefined);
  const isInOrder = isOrdered(from, to) && isOrdered(baseFrom, baseTo);
  const apply = (event: FormEvent) => {
    event.preventDefault();
    url.set({ span: undefined, from, to, base_from: baseFrom, base_to: baseTo }, 'push');
    setOpen(false);
  };
  const field = (name: keyof OwnRanges, label: string, error?: string) => (
    <TextInput
      type="datetime-local"
      label={label}
      value={draft[name]}
      error={error}
      onChange={(event) => setDraft({ ...draft, [name]: event.currentTarget.value })}
    />
  );
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-start" withArrow trapFocus returnFocus>
      <Popover.Target>
        <Button variant={asked.span === undefined ? 'light' : 'default'} onClick={toggle} aria-expanded={isOpen}>
          {text.button}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack component="form" gap="sm" onSubmit={apply}>
          <Fieldset legend={text.range}>
            {field('from', text.from)}
            {field('to', text.to, isOrdered(from, to) ? undefined : text.invalid)}
          </Fieldset>
          <Fieldset legend={text.base}>
            {field('base_from', text.from)}
            {field('base_to', text.to, isOrdered(baseFrom, baseTo) ? undefined : text.invalid)}
          </Fieldset>
          <Button type="submit" disabled={!isComplete || !isInOrder}>
            {text.show}
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

function toDraft(asked: AskedSpan): OwnRanges {
  const of = (name: keyof OwnRanges) => toLocalInput(asked[name]);
  return { from: of('from'), to: of('to'), base_from: of('base_from'), base_to: of('base_to') };
}

/** True also while one of them is missing. */
function isOrdered(from: string | undefined, to: string | undefined): boolean {
  return from === undefined || to === undefined || isRange(from, to);
}
