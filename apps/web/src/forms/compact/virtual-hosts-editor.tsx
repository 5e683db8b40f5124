import { IconX } from '@tabler/icons-react';
import { useId } from 'react';
import buttons from '../buttons.module.css';
import { TextControl } from '../controls/text-control.tsx';
import { useForm } from '../form-context.ts';
import { isList, type Json, type JsonObject } from '../model/json.ts';
import { joinPath } from '../model/path.ts';
import compact from './compact.module.css';
import type { CompactEditorProps } from './compact-editor.ts';
import { type HostRow, parseDomains, readHosts, writeDomains, writeHostName } from './model/virtual-hosts.ts';
import { ActionButton, AddButton, hintOthers, MoreRows, RowNotes, TEXT_FIELD } from './row-parts.tsx';
import { StoredDocument } from './stored-document.tsx';
import { texts } from './texts.tsx';
import { useListRows } from './use-list-rows.ts';
import { useMessages } from './use-rows.ts';

const text = texts.hosts;

/** Virtual hosts as lines of name and domains. Their order has no meaning: Envoy takes the most specific domain. */
export function VirtualHostsEditor({ value, at }: CompactEditorProps) {
  const { state, readOnly } = useForm();
  const found = readHosts(value);
  const rows = found.isSimple ? found.rows : [];
  const list = useListRows({ at, count: rows.length, mainCell: 'name' });
  const messagesOf = useMessages();
  return (
    <div ref={list.root} className={compact.editor}>
      {rows.length > 0 && (
        <div className={compact.heading} aria-hidden>
          <div className={compact.host}>
            <span>{text.headings.name}</span>
            <span>{text.headings.domains}</span>
          </div>
        </div>
      )}
      {rows.slice(0, list.shown).map((row, index) => (
        <HostLine
          // Virtual hosts may have the same name, so their position is the key.
          key={joinPath(at, index)}
          row={row}
          index={index}
          messages={messagesOf(joinPath(at, index))}
          onWrite={(change) => list.write(index, change, true)}
          onOpen={() => state.requestFocus(joinPath(joinPath(at, index), 'routes'))}
          onRemove={() => list.remove(index)}
        />
      ))}
      <MoreRows shown={list.shown} all={rows.length} onClick={list.showMore} />
      {!readOnly && <AddButton label={text.add} onClick={() => list.insert(rows.length, {})} />}
    </div>
  );
}

interface HostLineProps {
  readonly row: HostRow;
  readonly index: number;
  readonly messages: readonly string[];
  readonly onWrite: (change: (item: Json | undefined) => JsonObject) => void;
  readonly onOpen: () => void;
  readonly onRemove: () => void;
}

function HostLine({ row, index, messages, onWrite, onOpen, onRemove }: HostLineProps) {
  const { readOnly } = useForm();
  const id = useId();
  const number = index + 1;
  return (
    <fieldset className={compact.line} data-line={index} aria-label={text.row(number)}>
      <div className={compact.host}>
        {row.reference === undefined ? (
          <>
            <HostCells row={row} number={number} id={id} onWrite={onWrite} />
            <button
              type="button"
              className={`${buttons.textButton} ${compact.count}`}
              aria-label={text.open(row.routes, number)}
              onClick={onOpen}
            >
              {text.routes(row.routes)}
            </button>
          </>
        ) : (
          <StoredDocument reference={row.reference} />
        )}
        {!readOnly && <ActionButton label={text.remove(number)} Icon={IconX} onClick={onRemove} />}
      </div>
      <RowNotes id={`${id}-notes`} messages={messages} problems={row.problems} hints={hintOthers(row.others)} />
    </fieldset>
  );
}

interface HostCellsProps extends Pick<HostLineProps, 'row' | 'onWrite'> {
  readonly number: number;
  readonly id: string;
}

function HostCells({ row, number, id, onWrite }: HostCellsProps) {
  const { readOnly } = useForm();
  const shared = { field: TEXT_FIELD, describedBy: `${id}-notes`, readOnly, keepsEmpty: true, code: true };
  const isInvalid = (cell: string) => row.problems.some((problem) => problem.cell === cell);
  return (
    <>
      <span className={compact.cell} data-cell="name">
        <TextControl
          {...shared}
          id={`${id}-name`}
          value={row.name}
          toText={String}
          fromText={(typed) => typed}
          label={text.cell(text.headings.name, number)}
          placeholder={text.headings.name}
          invalid={isInvalid('name')}
          onCommit={(typed) => onWrite((item) => writeHostName(item, String(typed)))}
        />
      </span>
      <span className={compact.cell} data-cell="domains">
        <TextControl
          {...shared}
          id={`${id}-domains`}
          value={row.domains}
          toText={(domains) => (isList(domains) ? domains.join(', ') : '')}
          fromText={parseDomains}
          label={text.cell(text.headings.domains, number)}
          placeholder={text.example}
          invalid={isInvalid('domains')}
          onCommit={(domains) => onWrite((item) => writeDomains(item, isList(domains) ? domains.map(String) : []))}
        />
      </span>
    </>
  );
}
