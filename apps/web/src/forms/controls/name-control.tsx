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
  const { collection, content, value, onCommit, keepsEmpty } = props;
  const { source, linkTo } = useForm();
  const listId = useId();
  const [names, setNames] = useState<readonly Option[]>();
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const [isPart, setPart] = useState(false);
  const asked = useRef(false);
  const text = typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);
  const isKnown = names?.some(({ id }) => id === text) ?? false;
  // A complete name is not a search: the options are all names that the user could change it to.
  const found = open && names ? (isKnown ? names : searchOptions(names, text)) : [];
  const link = text === '' ? undefined : linkTo(collection, text);

  const fetchNames = () => {
    if (asked.current) return;
    asked.current = true;
    source.candidates({ collection }).then(
      ({ items, truncated }) => {
        setNames(toOptions(items, content));
        setPart(truncated);
      },
      () => {
        // Names are optional help; the next focus requests them again.
        asked.current = false;
      },
    );
  };
  // If one page does not hold all names, asks for those that contain the typed text.
  useEffect(() => {
    if (!open || !isPart) return undefined;
    let current = true;
    const timer = setTimeout(() => {
      source.candidates({ collection, ...(text !== '' && { q: text }) }).then(
        ({ items }) => current && setNames(toOptions(items, content)),
        () => undefined,
      );
    }, GATHER_MS);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [open, isPart, source, collection, content, text]);
  const take = (option: Option | undefined) => {
    setOpen(false);
    setActive(-1);
    if (option) onCommit(option.id, false);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const next = open ? moveActive(event.key, active, found.length) : undefined;
    if (next !== undefined) {
      event.preventDefault();
      setActive(next);
    } else if (event.key === 'ArrowDown') {
      event.preventDefault();
      setOpen(true);
    } else if (event.key === 'Escape' && open && found.length > 0) {
      event.stopPropagation();
      setOpen(false);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      if (open && active >= 0) take(found[active]);
      else props.onEnter?.();
    }
  };
  const shown = open && found.length > 0;
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
        aria-expanded={shown}
        aria-controls={shown ? listId : undefined}
        aria-activedescendant={shown && active >= 0 ? optionId(listId, active) : undefined}
        aria-autocomplete="list"
        aria-label={props.label}
        aria-describedby={props.describedBy}
        aria-invalid={props.invalid || undefined}
        aria-required={props.field.required || undefined}
        placeholder={props.placeholder}
        autoComplete="off"
        spellCheck={false}
        data-mantine-stop-propagation={shown ? 'true' : undefined}
        onFocus={fetchNames}
        onClick={() => !props.readOnly && setOpen(true)}
        onBlur={() => take(undefined)}
        onChange={(event) => {
          const typed = event.currentTarget.value;
          setOpen(true);
          setActive(-1);
          onCommit(typed === '' && !keepsEmpty ? undefined : typed, true);
        }}
        onKeyDown={onKeyDown}
      />
      {link !== undefined && (
        <a
          className={controls.inlineLink}
          href={link}
          target="_blank"
          rel="noreferrer"
          title={words.openDocument(collection, text)}
          aria-label={words.open(text)}
        >
          <IconArrowUpRight size={15} aria-hidden />
        </a>
      )}
      {shown && (
        <span className={pickerStyles.suggestions}>
          <OptionList
            id={listId}
            label={words.namesOf(collection)}
            options={found}
            active={active}
            selected={text}
            onPick={take}
            onActive={setActive}
          />
        </span>
      )}
    </span>
  );
}

function toOptions(items: readonly Candidate[], content: string | undefined): Option[] {
  return items
    .filter((item) => content === undefined || item.content === content)
    .map(({ name, ref }) => ({ id: ref, label: name }));
}
