import { Modal } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import {
  Fragment,
  type KeyboardEvent,
  type ReactNode,
  useCallback,
  useEffect,
  useId,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { routes, useApi } from '../../api/index.ts';
import { useCan, useProjectIfAny } from '../../app/project.tsx';
import { explain } from '../../ui/index.ts';
import { texts } from '../texts.tsx';
import { arrange, type Entry, findEntries } from './entries.ts';
import { readAct, toOperationEntries } from './operations.ts';
import classes from './palette.module.css';
import type { PaletteState } from './palette-state.ts';
import { useCommands } from './use-commands.ts';

const words = texts.palette;

const { groups, recentlyChanged } = texts.entries;

const SEARCH_GATHER_MS = 80;

/** Opened by Ctrl-K: finds anything with a name and runs any action. */
export function Palette({ state, openShortcuts }: { state: PaletteState; openShortcuts: () => void }) {
  const { text, isEntered } = useSyncExternalStore(state.subscribe, state.view);
  const [chosen, setChosen] = useState(0);
  const { entries, isSettled, failure } = useEntries(text);
  const current = Math.min(chosen, Math.max(0, entries.length - 1));
  const go = useOpenEntry(state, openShortcuts);
  // Handles an early Enter as soon as there is a result.
  const goNow = useRef(go);
  goNow.current = go;
  const waiting = isEntered && text !== '' && isSettled ? entries[current] : undefined;
  useEffect(() => {
    if (waiting) goNow.current(waiting);
  }, [waiting]);
  const listId = useId();
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setChosen((current + step + entries.length) % Math.max(1, entries.length));
    } else if (event.key === 'Enter') go(entries[current]);
  };
  return (
    <PaletteDialog onClose={state.close}>
      <SearchInput
        state={state}
        text={text}
        listId={listId}
        activeId={entries[current] && `${listId}-${current}`}
        onType={() => setChosen(0)}
        onKeyDown={onKeyDown}
      />
      <EntryList id={listId} text={text} entries={entries} current={current} onChoose={setChosen} onOpen={go} />
      <div className={classes.foot} role="status">
        {failure ? (
          <span>{words.namesFailed(explain(failure).message)}</span>
        ) : (
          <>
            <span>{words.arrowsChoose}</span>
            <span>{words.enterOpens}</span>
            <span>{words.escCloses}</span>
          </>
        )}
      </div>
    </PaletteDialog>
  );
}

function PaletteDialog({ onClose, children }: { onClose: () => void; children: ReactNode }) {
  return (
    <Modal.Root
      opened
      onClose={onClose}
      returnFocus={false}
      size="lg"
      yOffset="12vh"
      centered={false}
      transitionProps={{ duration: 0 }}
    >
      <Modal.Overlay backgroundOpacity={0.4} />
      <Modal.Content aria-label={words.title}>
        <Modal.Body p={0}>{children}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

/** Returns what fits the text. `isSettled`: the answers are about this text, not an earlier one. */
function useEntries(text: string) {
  const project = useProjectIfAny();
  const can = useCan();
  const [asked] = useDebouncedValue(text.trim(), SEARCH_GATHER_MS);
  const search = useApi(
    routes.search.find,
    { query: { project: project?.id ?? '', limit: 30, ...(asked && { q: asked.slice(0, 128) }) } },
    { enabled: project !== undefined, keepPrevious: true, topics: ['document', 'policy', 'service', 'client'] },
  );
  const meant = readAct(text, project?.role);
  const askedName = readAct(asked, 'owner')?.name ?? '';
  const services = useApi(
    routes.search.find,
    {
      query: {
        project: project?.id ?? '',
        kind: ['service'],
        limit: 10,
        ...(askedName && { q: askedName.slice(0, 128) }),
      },
    },
    { enabled: project !== undefined && meant !== undefined, keepPrevious: true, topics: ['service'] },
  );
  const operations = meant && project ? toOperationEntries(meant, services.data?.body.items ?? [], project.name) : [];
  const places = findEntries(text, project?.name, can);
  return {
    entries: arrange(search.data?.body.items ?? [], places, { text, project: project?.name, operations }),
    isSettled: text.trim() === asked && !search.isFetching,
    failure: search.error,
  };
}

function useOpenEntry(state: PaletteState, openShortcuts: () => void) {
  const navigate = useNavigate();
  const run = useCommands(openShortcuts);
  return (entry: Entry | undefined) => {
    if (!entry) return;
    state.close();
    if ('run' in entry) run[entry.run]();
    else void navigate({ to: entry.to, params: entry.params, search: entry.search ?? {} });
  };
}

interface SearchInputProps {
  readonly state: PaletteState;
  readonly text: string;
  readonly listId: string;
  /** ID of the chosen entry. */
  readonly activeId: string | undefined;
  readonly onType: () => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

function SearchInput({ state, text, listId, activeId, onType, onKeyDown }: SearchInputProps) {
  // Immediately: a dialog moves the focus into itself only after a delay.
  const takeFocus = useCallback(
    (input: HTMLInputElement) => {
      input.focus();
      if (input === document.activeElement) state.release();
      return state.capture;
    },
    [state],
  );
  return (
    <input
      data-autofocus
      ref={takeFocus}
      onFocus={state.release}
      onBlur={state.capture}
      className={classes.input}
      role="combobox"
      aria-expanded="true"
      aria-controls={listId}
      aria-activedescendant={activeId}
      aria-label={words.title}
      placeholder={words.whatToType}
      value={text}
      spellCheck={false}
      onChange={(event) => {
        state.write(event.currentTarget.value);
        onType();
      }}
      onKeyDown={onKeyDown}
    />
  );
}

interface EntryListProps {
  readonly id: string;
  readonly text: string;
  readonly entries: readonly Entry[];
  readonly current: number;
  readonly onChoose: (index: number) => void;
  readonly onOpen: (entry: Entry) => void;
}

function EntryList({ id, text, entries, current, onChoose, onOpen }: EntryListProps) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector(`[data-index="${current}"]`)?.scrollIntoView({ block: 'nearest' });
  }, [current]);
  return (
    <div ref={list} id={id} role="listbox" aria-label={words.results} className={classes.list}>
      {entries.map((entry, index) => (
        <Fragment key={entry.id}>
          {entry.group !== entries[index - 1]?.group && (
            <div className={classes.group} role="presentation">
              {entry.group === 'names' && text === '' ? recentlyChanged : groups[entry.group]}
            </div>
          )}
          {/* biome-ignore lint/a11y/useKeyWithClickEvents: keys are the input's */}
          <div
            id={`${id}-${index}`}
            data-index={index}
            role="option"
            aria-selected={index === current}
            className={classes.option}
            onClick={() => onOpen(entry)}
            onMouseMove={() => onChoose(index)}
          >
            <bdi className={classes.label}>{entry.label}</bdi>
            {entry.detail && <span className={classes.detail}>{entry.detail}</span>}
            {entry.kind && <span className={classes.kind}>{entry.kind.replaceAll('_', ' ')}</span>}
          </div>
        </Fragment>
      ))}
      {entries.length === 0 && <div className={classes.option}>{words.nothingFound(text.trim())}</div>}
    </div>
  );
}
