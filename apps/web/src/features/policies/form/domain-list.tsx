import { Button, TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { MEMBER_ORDER } from '../../../editor/policy/policy-messages.ts';
import { Empty } from '../../../ui/index.ts';
import { DomainPart } from './domain-part.tsx';
import classes from './form.module.css';
import { usePolicyForm } from './form-context.ts';
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
  const wanted = text.trim().toLowerCase();
  const fitting = domains
    .map((domain, index) => ({ domain, index }))
    .filter(
      ({ domain, index }) =>
        wanted === '' ||
        index === place.domain ||
        domain.hosts.some((host) => host.toLowerCase().includes(wanted)) ||
        domain.routes.some(({ prefix }) => prefix.toLowerCase().includes(wanted)),
    );
  const shown = isWhole ? fitting : fitting.filter(({ index }, row) => row < ROWS_MAX || index === place.domain);
  const add = () => {
    const value = { hosts: [], policy: { engines: {} } };
    apply([
      domains.length === 0
        ? { kind: 'set', path: PATH, value: [value], order: MEMBER_ORDER }
        : { kind: 'set', path: [...PATH, domains.length], value },
    ]);
    setAdded(domains.length);
    onOpen(formatPlace(domains.length));
  };
  const remove = (index: number) => {
    apply([domains.length === 1 ? { kind: 'set', path: PATH, value: [] } : { kind: 'remove', path: [...PATH, index] }]);
    onOpen(undefined);
  };
  return (
    <section className={classes.domains} aria-label={words.title}>
      <div className={classes.listHead}>
        <h2>{words.countOf(domains.length)}</h2>
        {domains.length >= SEARCH_FROM && (
          <TextInput
            size="xs"
            type="search"
            aria-label={words.find}
            placeholder={words.searches}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
        )}
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
