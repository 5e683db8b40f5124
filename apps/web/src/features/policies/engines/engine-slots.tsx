import { Button } from '@mantine/core';
import { useState } from 'react';
import { MEMBER_ORDER } from '../../../editor/policy/policy-messages.ts';
import { State } from '../../../ui/index.ts';
import type { TextEdit } from '../../../yaml/edit-text.ts';
import { engineTitle, starterBlock } from '../form/engine-names.ts';
import { usePolicyForm } from '../form/form-context.ts';
import type { EngineSlot } from '../form/policy-view.ts';
import { describeEngine } from '../structure/engine-words.ts';
import { EngineForm } from './engine-form.tsx';
import classes from './engines.module.css';
import { texts } from './texts.ts';

const text = texts.engineSlots;

interface EngineSlotsProps {
  readonly slots: readonly EngineSlot[];
  /** Name of the domain or route, for the accessible name of the list. */
  readonly of: string;
}

/** Lists every engine with the source of its options: set here, inherited, switched off, or unused. */
export function EngineSlots({ slots, of }: EngineSlotsProps) {
  const [open, setOpen] = useState<string>();
  return (
    <ul className={classes.slots} aria-label={text.list.enginesOf(of)}>
      {slots.map((slot) => (
        <li key={slot.name} className={classes.slot} data-state={slot.state}>
          <Slot
            slot={slot}
            others={slots}
            isOpen={open === slot.name}
            onOpen={(isOpen) => setOpen(isOpen ? slot.name : undefined)}
          />
        </li>
      ))}
    </ul>
  );
}

interface SlotProps {
  readonly slot: EngineSlot;
  readonly others: readonly EngineSlot[];
  readonly isOpen: boolean;
  readonly onOpen: (isOpen: boolean) => void;
}

function Slot({ slot, others, isOpen, onOpen }: SlotProps) {
  const { errorsWithin, isReadOnly } = usePolicyForm();
  const { name, state, block, path } = slot;
  const errors = errorsWithin(path);
  const isForm = state === 'own' && block !== undefined && isOpen;
  return (
    <>
      <div className={classes.head}>
        <span className={classes.title} title={name}>
          {state === 'own' ? (
            <button type="button" className={classes.toggle} aria-expanded={isOpen} onClick={() => onOpen(!isOpen)}>
              {engineTitle(name)}
            </button>
          ) : (
            <span className={state === 'inherited' ? undefined : classes.dimmed}>{engineTitle(name)}</span>
          )}
        </span>
        <SlotStateWord slot={slot} />
        {errors.length > 0 && <State word={text.slot.errors(errors.length)} tone="bad" shape="triangle" />}
        {!isReadOnly && <SlotActions slot={slot} others={others} onOpen={() => onOpen(true)} />}
      </div>
      {!isForm && block && state !== 'off' && (
        <p className={classes.words}>
          <bdi>{describeEngine(name, block).join(' ')}</bdi>
        </p>
      )}
      {isForm && <EngineForm name={name} path={path} block={block} />}
    </>
  );
}

function SlotStateWord({ slot: { state, isOffered } }: { slot: EngineSlot }) {
  switch (state) {
    case 'own':
      return isOffered ? (
        <State word={text.state.own} tone="busy" shape="full" why={text.state.whyOwn} />
      ) : (
        <State word={text.state.on} tone="good" shape="full" why={text.state.whyOn} />
      );
    case 'inherited':
      return <State word={text.state.inherited} tone="good" shape="half" why={text.state.whyInherited} />;
    case 'off':
      return <State word={text.state.off} tone="warn" shape="square" why={text.state.whyOff} />;
    case 'unused':
      return <span className={classes.dimmed}>{text.state.notUsed}</span>;
  }
}

interface SlotActionsProps {
  readonly slot: EngineSlot;
  readonly others: readonly EngineSlot[];
  readonly onOpen: () => void;
}

function SlotActions({ slot, others, onOpen }: SlotActionsProps) {
  const { apply } = usePolicyForm();
  const { name, state, path, block, isOffered } = slot;
  const title = engineTitle(name);
  const write = (value: unknown): TextEdit => ({ kind: 'set', path, value, order: MEMBER_ORDER });
  const own = (value: unknown) => {
    apply([write(value)]);
    onOpen();
  };
  /** Removes the engine. Removing the last engine also removes the empty mapping. */
  const remove = () => {
    const isLast = others.every((other) => other === slot || other.state === 'unused' || other.state === 'inherited');
    apply([{ kind: 'remove', path: isLast ? path.slice(0, -1) : path }]);
  };
  return (
    <span className={classes.actions}>
      {state === 'unused' && <Action label={text.actions.add} of={title} onClick={() => own(starterBlock(name))} />}
      {state === 'inherited' && (
        <>
          <Action label={text.actions.writeOwn} of={title} onClick={() => own(block)} />
          <Action label={text.actions.switchOff} of={title} onClick={() => apply([write(null)])} />
        </>
      )}
      {state === 'off' && <Action label={text.actions.inheritAgain} of={title} onClick={remove} />}
      {state === 'own' && (
        <>
          {isOffered && <Action label={text.actions.switchOff} of={title} onClick={() => apply([write(null)])} />}
          <Action label={isOffered ? text.actions.inheritAgain : text.actions.remove} of={title} onClick={remove} />
        </>
      )}
    </span>
  );
}

function Action({ label, of, onClick }: { label: string; of: string; onClick: () => void }) {
  return (
    <Button variant="subtle" size="compact-xs" aria-label={`${label}: ${of}`} onClick={onClick}>
      {label}
    </Button>
  );
}
