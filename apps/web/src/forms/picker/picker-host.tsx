import {
  type KeyboardEvent,
  type RefObject,
  useCallback,
  useEffect,
  useId,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { createPortal } from 'react-dom';
import { type Option, searchOptions } from '../model/search.ts';
import { moveActive, OptionList, optionId } from './option-list.tsx';
import styles from './picker.module.css';
import type { PickerRequest } from './picker-request.ts';
import { texts } from './texts.tsx';

const text = texts.pickerHost;

export interface PickerHandle {
  open(request: PickerRequest): void;
  close(): void;
}

/** The picker of a form: a searchable list, shared by all fields with options. */
export function PickerHost({ handle }: { readonly handle: RefObject<PickerHandle | null> }) {
  const [shown, setShown] = useState<{ readonly request: PickerRequest; readonly turn: number }>();
  const close = useCallback(() => setShown(undefined), []);
  useImperativeHandle(
    handle,
    () => ({ open: (request) => setShown((last) => ({ request, turn: (last?.turn ?? 0) + 1 })), close }),
    [close],
  );
  if (!shown) return null;
  return createPortal(<PickerPopup key={shown.turn} request={shown.request} onClose={close} />, document.body);
}

interface PickerPopupProps {
  readonly request: PickerRequest;
  readonly onClose: () => void;
}

function PickerPopup({ request, onClose }: PickerPopupProps) {
  const { anchor, title } = request;
  const listId = `${useId()}-list`;
  const search = useSearch(request);
  const { found, active } = search;
  const popup = usePopup({ anchor, content: search.loaded, onLeave: onClose });

  const pick = (option: Option | undefined) => {
    if (!option) return;
    onClose();
    anchor.focus();
    request.onPick(option.id);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const next = moveActive(event.key, active, found.length);
    if (next !== undefined) {
      event.preventDefault();
      search.move(next);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      pick(found[active]);
    } else if (event.key === 'Escape' || event.key === 'Tab') {
      event.preventDefault();
      event.stopPropagation();
      onClose();
      anchor.focus();
    }
  };
  return (
    <div className={styles.popup} ref={popup} role="dialog" aria-label={title}>
      <QueryInput title={title} listId={listId} search={search} onKeyDown={onKeyDown} />
      <SearchNote search={search} />
      <OptionList
        id={listId}
        label={title}
        options={found}
        active={active}
        selected={request.selected}
        onPick={pick}
        onActive={search.move}
      />
    </div>
  );
}

interface QueryInputProps {
  readonly title: string;
  readonly listId: string;
  readonly search: Search;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

/** Takes the focus when the popup opens, and keeps it. */
function QueryInput({ title, listId, search: { query, active, type }, onKeyDown }: QueryInputProps) {
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => input.current?.focus({ preventScroll: true }), []);
  return (
    <input
      ref={input}
      className={styles.query}
      value={query}
      placeholder={title}
      aria-label={title}
      role="combobox"
      aria-expanded
      aria-controls={listId}
      aria-activedescendant={active >= 0 ? optionId(listId, active) : undefined}
      autoComplete="off"
      spellCheck={false}
      // Without this, Escape also closes Mantine's overlays, and the form with them.
      data-mantine-stop-propagation="true"
      onChange={(event) => type(event.currentTarget.value)}
      onKeyDown={onKeyDown}
    />
  );
}

function SearchNote({ search: { loaded, found, query } }: { readonly search: Search }) {
  if (loaded === undefined) return <div className={styles.note}>{text.loading}</div>;
  if (loaded === 'failed') return <div className={styles.note}>{text.failed}</div>;
  if (found.length > 0) return null;
  return <div className={styles.note}>{query === '' ? text.none : text.nothingMatches(query)}</div>;
}

/** The options of the request; undefined while they load. */
type LoadedOptions = readonly Option[] | 'failed' | undefined;

interface Search {
  readonly query: string;
  readonly type: (query: string) => void;
  readonly loaded: LoadedOptions;
  /** The options that match the query. */
  readonly found: readonly Option[];
  /** Index of the active option: the selected or the first one, until the user moves. */
  readonly active: number;
  readonly move: (index: number) => void;
}

function useSearch(request: PickerRequest): Search {
  const loaded = useOptions(request);
  const [query, setQuery] = useState('');
  const [moved, setMoved] = useState<number>();
  const further = useFurther(request, loaded === undefined ? '' : query);
  const found = useMemo(() => {
    if (!Array.isArray(loaded)) return [];
    const known = new Set(loaded.map((option) => option.id));
    return searchOptions([...loaded, ...further.filter((option) => !known.has(option.id))], query);
  }, [loaded, further, query]);
  const selected = found.findIndex((option) => option.id === request.selected);
  return {
    query,
    type: (typed) => {
      setQuery(typed);
      setMoved(undefined);
    },
    loaded,
    found,
    active: Math.min(moved ?? (query === '' ? Math.max(0, selected) : 0), found.length - 1),
    move: setMoved,
  };
}

function useOptions({ options: given }: PickerRequest): LoadedOptions {
  const [loaded, setLoaded] = useState<LoadedOptions>(typeof given === 'function' ? undefined : given);
  useEffect(() => {
    if (typeof given !== 'function') return undefined;
    let current = true;
    given().then(
      (options) => current && setLoaded(options),
      () => current && setLoaded('failed'),
    );
    return () => {
      current = false;
    };
  }, [given]);
  return loaded;
}

const NOTHING: readonly Option[] = [];
const GATHER_MS = 200;

/** Loads further options that match the input. */
function useFurther({ more }: PickerRequest, query: string): readonly Option[] {
  const [further, setFurther] = useState(NOTHING);
  useEffect(() => {
    if (!more || query === '') return undefined;
    let current = true;
    const timer = setTimeout(() => {
      more(query).then(
        (options) => current && setFurther(options),
        () => undefined,
      );
    }, GATHER_MS);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [more, query]);
  return further;
}

interface Popup {
  readonly anchor: HTMLElement;
  /** The popup is placed again when its content changes. */
  readonly content: unknown;
  readonly onLeave: () => void;
}

/** Keeps the popup at its anchor. A press outside leaves it. */
function usePopup({ anchor, content, onLeave }: Popup): RefObject<HTMLDivElement | null> {
  const popup = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: its size follows what it shows
  useLayoutEffect(() => {
    if (popup.current) place(popup.current, anchor);
  }, [anchor, content]);
  useLayoutEffect(() => {
    const reposition = () => popup.current && place(popup.current, anchor);
    const leave = (event: PointerEvent) => {
      if (event.target instanceof Node && !popup.current?.contains(event.target)) onLeave();
    };
    window.addEventListener('scroll', reposition, { capture: true, passive: true });
    window.addEventListener('resize', reposition);
    document.addEventListener('pointerdown', leave, true);
    return () => {
      window.removeEventListener('scroll', reposition, { capture: true });
      window.removeEventListener('resize', reposition);
      document.removeEventListener('pointerdown', leave, true);
    };
  }, [anchor, onLeave]);
  return popup;
}

const MARGIN = 8;
const HEIGHT_MAX = 380;

/** Positions the popup under the anchor, or above it if there is more room; always inside the window. */
function place(popup: HTMLElement, anchor: HTMLElement): void {
  const box = anchor.getBoundingClientRect();
  const width = Math.min(Math.max(box.width, 460), window.innerWidth - 2 * MARGIN);
  const below = window.innerHeight - box.bottom - MARGIN;
  const above = box.top - MARGIN;
  const up = below < 220 && above > below;
  popup.style.width = `${width}px`;
  popup.style.left = `${Math.max(MARGIN, Math.min(box.left, window.innerWidth - width - MARGIN))}px`;
  popup.style.maxHeight = `${Math.min(HEIGHT_MAX, Math.max(120, up ? above : below) - 4)}px`;
  popup.style.top = up ? 'auto' : `${box.bottom + 4}px`;
  popup.style.bottom = up ? `${window.innerHeight - box.top + 4}px` : 'auto';
}
