import { IconArrowUpRight } from '@tabler/icons-react';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { useForm } from '../form-context.ts';
import { type Option, searchOptions } from '../model/search.ts';
import { moveActive, OptionList, optionId } from '../picker/option-list.tsx';
import pickerStyles from '../picker/picker.module.css';
import type { Candidate } from '../schema-source.ts';
import type { ControlProps } from './control-props.ts';
import controls from './controls.module.css';
import { texts } from './texts.tsx';

const words = texts.nameControl;

const GATHER_MS = 200;

interface NameControlProps extends ControlProps {
  readonly collection: string;
  /** Offers only secrets that hold this. */
  readonly content?: string | undefined;
  readonly placeholder?: string | undefined;
}

/** Input for the name of a stored document: free text, with the existing names as options and a link to the document. */
export function NameControl(props: NameControlProps) {
  const { collection, value, keepsEmpty } = props;
  const listId = useId();
  const text = typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);
  const suggestions = useSuggestions(props, text);
  const { isShown, found, active } = suggestions;
  return (
    <span className={controls.withSuggestions}>
      <input
        id={props.id}
        type="text"
        className={controls.input}
        data-code
        data-control=""
        value={text}
        readOnly={props.readOnly}
        role="combobox"
        aria-expanded={isShown}
        aria-controls={isShown ? listId : undefined}
        aria-activedescendant={isShown && active >= 0 ? optionId(listId, active) : undefined}
        aria-autocomplete="list"
        aria-label={props.label}
        aria-describedby={props.describedBy}
        aria-invalid={props.invalid || undefined}
        aria-required={props.field.required || undefined}
        placeholder={props.placeholder}
        autoComplete="off"
        spellCheck={false}
        data-mantine-stop-propagation={isShown ? 'true' : undefined}
        onFocus={suggestions.load}
        onClick={() => !props.readOnly && suggestions.open()}
        onBlur={suggestions.close}
        onChange={(event) => {
          const typed = event.currentTarget.value;
          suggestions.open();
          suggestions.move(-1);
          props.onCommit(typed === '' && !keepsEmpty ? undefined : typed, true);
        }}
        onKeyDown={suggestions.onKeyDown}
      />
      <DocumentLink collection={collection} name={text} />
      {isShown && (
        <span className={pickerStyles.suggestions}>
          <OptionList
            id={listId}
            label={words.namesOf(collection)}
            options={found}
            active={active}
            selected={text}
            onPick={suggestions.take}
            onActive={suggestions.move}
          />
        </span>
      )}
    </span>
  );
}

interface DocumentLinkProps {
  readonly collection: string;
  readonly name: string;
}

function DocumentLink({ collection, name }: DocumentLinkProps) {
  const { linkTo } = useForm();
  const link = name === '' ? undefined : linkTo(collection, name);
  if (link === undefined) return null;
  return (
    <a
      className={controls.inlineLink}
      href={link}
      target="_blank"
      rel="noreferrer"
      title={words.openDocument(collection, name)}
      aria-label={words.open(name)}
    >
      <IconArrowUpRight size={15} aria-hidden />
    </a>
  );
}

/** The names below the input: which are shown, which one is active, and what keys and presses do with them. */
function useSuggestions({ collection, content, onCommit, onEnter }: NameControlProps, text: string) {
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const { names, load } = useNames({ collection, content, query: isOpen ? text : undefined });
  const isKnown = names?.some(({ id }) => id === text) ?? false;
  // A complete name is not a search: the options are all names that the user could change it to.
  const found = isOpen && names ? (isKnown ? names : searchOptions(names, text)) : [];
  const isShown = isOpen && found.length > 0;
  const close = () => {
    setOpen(false);
    setActive(-1);
  };
  const take = (option: Option | undefined) => {
    close();
    if (option) onCommit(option.id, false);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const next = isOpen ? moveActive(event.key, active, found.length) : undefined;
    if (next !== undefined) {
      event.preventDefault();
      setActive(next);
    } else if (event.key === 'ArrowDown') {
      event.preventDefault();
      setOpen(true);
    } else if (event.key === 'Escape' && isShown) {
      event.stopPropagation();
      setOpen(false);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      if (isOpen && active >= 0) take(found[active]);
      else onEnter?.();
    }
  };
  return { found, isShown, active, move: setActive, load, open: () => setOpen(true), close, take, onKeyDown };
}

interface NamesQuestion extends Pick<NameControlProps, 'collection' | 'content'> {
  /** The typed text; undefined while no names are shown. */
  readonly query: string | undefined;
}

/** Returns the names of the collection, once `load` was called. */
function useNames({ collection, content, query }: NamesQuestion) {
  const { source } = useForm();
  const [names, setNames] = useState<readonly Option[]>();
  const [isPart, setPart] = useState(false);
  const isAsked = useRef(false);
  const load = () => {
    if (isAsked.current) return;
    isAsked.current = true;
    source.candidates({ collection }).then(
      ({ items, truncated }) => {
        setNames(toOptions(items, content));
        setPart(truncated);
      },
      () => {
        // Names are optional help; the next focus requests them again.
        isAsked.current = false;
      },
    );
  };
  // If one page does not hold all names, asks for those that contain the typed text.
  useEffect(() => {
    if (query === undefined || !isPart) return undefined;
    let current = true;
    const timer = setTimeout(() => {
      source.candidates({ collection, ...(query !== '' && { q: query }) }).then(
        ({ items }) => current && setNames(toOptions(items, content)),
        () => undefined,
      );
    }, GATHER_MS);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [query, isPart, source, collection, content]);
  return { names, load };
}

function toOptions(items: readonly Candidate[], content: string | undefined): Option[] {
  return items
    .filter((item) => content === undefined || item.content === content)
    .map(({ name, ref }) => ({ id: ref, label: name }));
}
