import { Button, TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { MEMBER_ORDER } from '../../../editor/policy/policy-messages.ts';
import { Empty } from '../../../ui/index.ts';
import { DomainPart } from './domain-part.tsx';
import classes from './form.module.css';
import { usePolicyForm } from './form-context.ts';
import { addItem, removeItem } from './list-edits.ts';
import { formatPlace, type OpenPlace } from './place.ts';
import type { DomainView } from './policy-view.ts';
import { texts } from './texts.tsx';

const words = texts.domainList;

interface DomainListProps {
  readonly domains: readonly DomainView[];
  readonly place: OpenPlace;
  readonly onOpen: (at: string | undefined) => void;
}

const SEARCH_FROM = 6;
const ROWS_MAX = 60;
const PATH = ['spec', 'domains'];

/** Lists all domains, at most one of which is open. */
export function DomainList({ domains, place, onOpen }: DomainListProps) {
  const { apply, errorsAt, isReadOnly, defaults } = usePolicyForm();
  const [text, setText] = useState('');
  const [isWhole, setWhole] = useState(false);
  const [added, setAdded] = useState<number>();
  const list = { path: PATH, count: domains.length };
  const fitting = domains
    .map((domain, index) => ({ domain, index }))
    .filter(({ domain, index }) => index === place.domain || isFound(domain, text.trim().toLowerCase()));
  const shown = isWhole ? fitting : fitting.filter(({ index }, row) => row < ROWS_MAX || index === place.domain);
  const add = () => {
    apply([addItem(list, { hosts: [], policy: { engines: {} } }, MEMBER_ORDER)]);
    setAdded(domains.length);
    onOpen(formatPlace(domains.length));
  };
  const remove = (index: number) => {
    apply([removeItem(list, index, 'empty')]);
    onOpen(undefined);
  };
  return (
    <section className={classes.domains} aria-label={words.title}>
      <div className={classes.listHead}>
        <h2>{words.countOf(domains.length)}</h2>
        {domains.length >= SEARCH_FROM && <SearchInput text={text} onChange={setText} />}
        {!isReadOnly && (
          <Button variant="default" size="compact-sm" leftSection={<IconPlus size={13} />} onClick={add}>
            {words.add}
          </Button>
        )}
      </div>
      {errorsAt(PATH).map(({ message }) => (
        <p key={message} className={classes.error}>
          {message}
        </p>
      ))}
      {domains.length === 0 && <Empty title={words.emptyTitle}>{words.empty}</Empty>}
      {shown.map(({ domain, index }) => (
        <DomainPart
          key={index}
          domain={domain}
          index={index}
          defaultMode={typeof defaults.mode === 'string' ? defaults.mode : 'block'}
          place={place.domain === index ? place : undefined}
          isNew={added === index}
          onOpen={onOpen}
          onRemove={() => remove(index)}
        />
      ))}
      {shown.length < fitting.length && (
        <Button variant="subtle" size="compact-xs" onClick={() => setWhole(true)}>
          {words.showAll(fitting.length)}
        </Button>
      )}
    </section>
  );
}

function SearchInput({ text, onChange }: { text: string; onChange: (text: string) => void }) {
  return (
    <TextInput
      size="xs"
      type="search"
      aria-label={words.find}
      placeholder={words.searches}
      value={text}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

function isFound({ hosts, routes }: DomainView, wanted: string): boolean {
  return (
    wanted === '' ||
    hosts.some((host) => host.toLowerCase().includes(wanted)) ||
    routes.some(({ prefix }) => prefix.toLowerCase().includes(wanted))
  );
}
