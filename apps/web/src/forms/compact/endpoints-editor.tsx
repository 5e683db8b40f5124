import { IconX } from '@tabler/icons-react';
import { type ClipboardEvent, useId, useState, useSyncExternalStore } from 'react';
import buttons from '../buttons.module.css';
import { TextControl } from '../controls/text-control.tsx';
import styles from '../form.module.css';
import { useForm } from '../form-context.ts';
import { isList, type Json, type JsonObject } from '../model/json.ts';
import { formatPath, joinPath, parsePath } from '../model/path.ts';
import compact from './compact.module.css';
import type { CompactEditorProps } from './compact-editor.ts';
import { isAddressList, PASTED_LINES_MAX, parseAddressLines } from './model/address-lines.ts';
import {
  listMisplacedNames,
  placeOfCluster,
  RESOLVING_TYPE,
  readClusterType,
  toResolving,
} from './model/cluster-type.ts';
import {
  createEndpoint,
  type EndpointCell,
  type EndpointRow,
  readEndpoints,
  writeEndpoint,
} from './model/endpoints.ts';
import { pasteEndpoints } from './model/paste-endpoints.ts';
import { ActionButton, AddButton, hintOthers, MoreRows, RowNotes, TEXT_FIELD } from './row-parts.tsx';
import { texts } from './texts.tsx';
import { useListRows } from './use-list-rows.ts';
import { useMessages } from './use-rows.ts';

const text = texts.endpoints;
const CELLS = ['host', 'port', 'weight'] as const satisfies readonly EndpointCell[];
const EMPTY = { host: '', port: '', weight: '' };

/** Endpoints of one group as lines of host, port and weight. */
export function EndpointsEditor({ value, at }: CompactEditorProps) {
  const { readOnly } = useForm();
  const found = readEndpoints(value);
  const rows = found.isSimple ? found.rows : [];
  const listAt = found.isSimple ? formatPath([...parsePath(at), ...found.path]) : at;
  const list = useListRows({ at: listAt, count: rows.length, mainCell: 'host' });
  const { news, paste } = usePaste(listAt, (last) => list.focusCell(last, 'host'));
  const messagesOf = useMessages();
  const misplaced = useMisplacedNames(at, rows);
  return (
    <div ref={list.root} className={compact.editor}>
      {!readOnly && <p className={styles.lead}>{text.lead}</p>}
      {found.isSimple && found.others.length > 0 && <p className={styles.lead}>{text.group(found.others)}</p>}
      <TypeAdvice at={at} misplaced={misplaced} />
      {rows.length > 0 && (
        <div className={compact.heading} aria-hidden>
          <div className={compact.endpoint}>
            {CELLS.map((cell) => (
              <span key={cell}>{text[cell]}</span>
            ))}
          </div>
        </div>
      )}
      {rows.slice(0, list.shown).map((row, index) => (
        <EndpointLine
          // Endpoints have no ID, so their position is the key.
          key={joinPath(listAt, index)}
          row={row}
          index={index}
          isMisplaced={misplaced.numbers.includes(index + 1)}
          messages={messagesOf(joinPath(listAt, index))}
          onPaste={(event) => paste(event, index)}
          onWrite={(change) => list.write(index, change, true)}
          onEnter={() => list.insert(index + 1, createEndpoint(EMPTY))}
          onRemove={() => list.remove(index)}
        />
      ))}
      <MoreRows shown={list.shown} all={rows.length} onClick={list.showMore} />
      {!readOnly && <AddButton label={text.add} onClick={() => list.insert(rows.length, createEndpoint(EMPTY))} />}
      <span role="status" className={styles.quiet}>
        {news}
      </span>
    </div>
  );
}

/** Turns pasted lines into endpoints, and says in `news` what became of them. */
function usePaste(listAt: string, onPasted: (last: number) => void) {
  const { state, readOnly } = useForm();
  const [news, setNews] = useState('');
  const paste = (event: ClipboardEvent<HTMLElement>, index: number) => {
    const pasted = event.clipboardData.getData('text');
    if (readOnly || !isAddressList(pasted)) return;
    const lines = parseAddressLines(pasted);
    const replaces = replacesHost(event.target);
    if (lines.length === 1 && !replaces) return;
    event.preventDefault();
    if (lines.length > PASTED_LINES_MAX) {
      setNews(text.tooMany(PASTED_LINES_MAX));
      return;
    }
    const list = state.get(listAt);
    const next = pasteEndpoints(isList(list) ? list : [], { index, replaces }, lines);
    state.set(listAt, next.items);
    setNews(text.pasted(lines.length));
    onPasted(next.last);
  };
  return { news, paste };
}

interface EndpointLineProps {
  readonly row: EndpointRow;
  readonly index: number;
  /** The host is a name that the type of the cluster does not take. */
  readonly isMisplaced: boolean;
  readonly messages: readonly string[];
  readonly onPaste: (event: ClipboardEvent<HTMLElement>) => void;
  readonly onWrite: (change: (item: Json | undefined) => JsonObject) => void;
  readonly onEnter: () => void;
  readonly onRemove: () => void;
}

function EndpointLine({ row, index, isMisplaced, messages, onPaste, onWrite, onEnter, onRemove }: EndpointLineProps) {
  const { readOnly } = useForm();
  const id = useId();
  const number = index + 1;
  return (
    <fieldset className={compact.line} data-line={index} aria-label={text.row(number)} onPaste={onPaste}>
      <div className={compact.endpoint}>
        {CELLS.map((cell) => (
          <span key={cell} className={compact.cell} data-cell={cell}>
            <TextControl
              id={`${id}-${cell}`}
              field={TEXT_FIELD}
              value={row[cell]}
              toText={String}
              fromText={(typed) => typed}
              label={text.cell(text[cell], number)}
              placeholder={text[cell]}
              describedBy={`${id}-notes`}
              invalid={row.problems.some((problem) => problem.cell === cell) || (isMisplaced && cell === 'host')}
              readOnly={readOnly}
              code
              keepsEmpty
              onCommit={(typed) => onWrite((item) => writeEndpoint(item, cell, String(typed)))}
              onEnter={onEnter}
            />
          </span>
        ))}
        {!readOnly && <ActionButton label={text.remove(number)} Icon={IconX} onClick={onRemove} />}
      </div>
      <RowNotes id={`${id}-notes`} messages={messages} problems={row.problems} hints={hintOthers(row.others)} />
    </fieldset>
  );
}

/** Whether a paste replaces the whole host. */
function replacesHost(target: EventTarget): boolean {
  if (!(target instanceof HTMLInputElement) || !target.closest('[data-cell="host"]')) return false;
  return target.selectionStart === 0 && target.selectionEnd === target.value.length;
}

interface Misplaced {
  /** Type of the cluster. A document of endpoints belongs to clusters of the type EDS. */
  readonly type: string | undefined;
  /** Numbers of the endpoints whose host name the type does not take. */
  readonly numbers: readonly number[];
}

/** The type is elsewhere in the document, so it can change while the endpoints do not. */
function useMisplacedNames(at: string, rows: readonly EndpointRow[]): Misplaced {
  const { state } = useForm();
  const place = placeOfCluster(at);
  const read = () => (place === undefined ? 'EDS' : readClusterType(state.get(place)));
  const type = useSyncExternalStore(state.subscribe, read);
  return { type, numbers: listMisplacedNames(rows, type) };
}

function TypeAdvice({ at, misplaced }: { readonly at: string; readonly misplaced: Misplaced }) {
  const { state, readOnly } = useForm();
  const place = placeOfCluster(at);
  const [first] = misplaced.numbers;
  if (first === undefined) return null;
  if (place === undefined) return <p className={`${styles.problem} ${compact.advice}`}>{text.noNames(first)}</p>;
  return (
    <p className={`${styles.problem} ${compact.advice}`}>
      {text.nameInType(first, misplaced.type ?? '')}{' '}
      {!readOnly && (
        <button
          type="button"
          className={buttons.textButton}
          onClick={() => state.set(place, toResolving(state.get(place)))}
        >
          {text.changeType(RESOLVING_TYPE)}
        </button>
      )}
    </p>
  );
}
