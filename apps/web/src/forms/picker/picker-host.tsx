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

function PickerPopup({ request, onClose }: { readonly request: PickerRequest; readonly onClose: () => void }) {
  const { options: given, anchor } = request;
  const id = useId();
  const [loaded, setLoaded] = useState<readonly Option[] | 'failed' | undefined>(
    typeof given === 'function' ? undefined : given,
  );
  const [query, setQuery] = useState('');
  const popup = useRef<HTMLDivElement>(null);
  const input = useRef<HTMLInputElement>(null);

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

  const further = useFurther(request, loaded === undefined ? '' : query);
  const found = useMemo(() => {
    if (!Array.isArray(loaded)) return [];
    const known = new Set(loaded.map((option) => option.id));
    return searchOptions([...loaded, ...further.filter((option) => !known.has(option.id))], query);
  }, [loaded, further, query]);
  const chosen = found.findIndex((option) => option.id === request.selected);
  const [moved, setMoved] = useState<number>();
  const active = Math.min(moved ?? (query === '' ? Math.max(0, chosen) : 0), found.length - 1);

  // biome-ignore lint/correctness/useExhaustiveDependencies: its size follows what it shows
  useLayoutEffect(() => {
    if (popup.current) place(popup.current, anchor);
  }, [anchor, loaded]);

  useLayoutEffect(() => {
    input.current?.focus({ preventScroll: true });
    const reposition = () => popup.current && place(popup.current, anchor);
    const leave = (event: PointerEvent) => {
      if (event.target instanceof Node && !popup.current?.contains(event.target)) onClose();
    };
    window.addEventListener('scroll', reposition, { capture: true, passive: true });
    window.addEventListener('resize', reposition);
    document.addEventListener('pointerdown', leave, true);
    return () => {
      window.removeEventListener('scroll', reposition, { capture: true });
      window.removeEventListener('resize', reposition);
      document.removeEventListener('pointerdown', leave, true);
    };
  }, [anchor, onClose]);

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
      setMoved(next);
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
    <div className={styles.popup} ref={popup} role="dialog" aria-label={request.title}>
      <input
        ref={input}
        className={styles.query}
        value={query}
        placeholder={request.title}
        aria-label={request.title}
        role="combobox"
        aria-expanded
        aria-controls={`${id}-list`}
        aria-activedescendant={active >= 0 ? optionId(`${id}-list`, active) : undefined}
        autoComplete="off"
        spellCheck={false}
        // Without this, Escape also closes Mantine's overlays, and the form with them.
        data-mantine-stop-propagation="true"
        onChange={(event) => {
          setQuery(event.currentTarget.value);
          setMoved(undefined);
        }}
        onKeyDown={onKeyDown}
      />
      {loaded === undefined && <div className={styles.note}>{text.loading}</div>}
      {loaded === 'failed' && <div className={styles.note}>{text.failed}</div>}
      {Array.isArray(loaded) && found.length === 0 && (
        <div className={styles.note}>{query === '' ? text.none : text.nothingMatches(query)}</div>
      )}
      <OptionList
        id={`${id}-list`}
        label={request.title}
        options={found}
        active={active}
        selected={request.selected}
        onPick={pick}
        onActive={setMoved}
      />
    </div>
  );
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
