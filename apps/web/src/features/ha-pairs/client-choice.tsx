import { Checkbox, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useId, useState } from 'react';
import { Empty, State } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import classes from './ha-pairs.module.css';
import { QUIET } from './looks.ts';
import type { Candidate } from './model.ts';
import { texts } from './texts.ts';

const text = texts.form;
/** Fewer clients need no search. */
const SEARCHED_FROM = 8;
const MEMBERS_MAX = 2;

interface ClientChoiceProps {
  readonly candidates: readonly Candidate[];
  readonly chosen: readonly string[];
  readonly onToggle: (candidate: Candidate) => void;
}

/** Lists all clients, those that can join first, and says why the others cannot. */
export function ClientChoice({ candidates, chosen, onToggle }: ClientChoiceProps) {
  const [typed, setTyped] = useState('');
  const hint = useId();
  if (candidates.length === 0) return <Empty title={text.noClients}>{text.noClientsText}</Empty>;
  const q = typed.trim().toLowerCase();
  const shown = candidates
    .filter(({ name, hostname }) => name.toLowerCase().includes(q) || hostname.toLowerCase().includes(q))
    .toSorted((one, other) => Number(other.selectable) - Number(one.selectable) || one.name.localeCompare(other.name));
  return (
    <fieldset className={classes.fieldset} aria-describedby={hint}>
      <legend className={classes.legend}>{text.members}</legend>
      <div className={layout.stack}>
        <p id={hint} className={layout.note}>
          {text.membersHint} {text.chosen(chosen.length)}.
        </p>
        {candidates.length >= SEARCHED_FROM && (
          <TextInput
            type="search"
            aria-label={text.searchClients}
            placeholder={text.searchClients}
            leftSection={<IconSearch size={14} />}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
        )}
        <div className={classes.choices}>
          {shown.map((one) => (
            <Choice
              key={one.client_id}
              candidate={one}
              isChosen={chosen.includes(one.client_id)}
              isFull={chosen.length >= MEMBERS_MAX}
              onToggle={() => onToggle(one)}
            />
          ))}
        </div>
      </div>
    </fieldset>
  );
}

interface ChoiceProps {
  readonly candidate: Candidate;
  readonly isChosen: boolean;
  readonly isFull: boolean;
  readonly onToggle: () => void;
}

function Choice({ candidate, isChosen, isFull, onToggle }: ChoiceProps) {
  const { name, hostname, service_count: services, selectable, disabled_reason: reason, hb_addrs } = candidate;
  const facts = [hostname === name ? undefined : hostname, hb_addrs.data?.auto];
  return (
    <div className={classes.choice}>
      <Checkbox
        label={<bdi>{name}</bdi>}
        description={[...facts.filter(Boolean), text.services(services)].join(' · ')}
        checked={isChosen}
        disabled={!isChosen && (!selectable || isFull)}
        onChange={onToggle}
      />
      {!selectable && reason && <State word={text.disabled[reason]} {...QUIET} />}
    </div>
  );
}
