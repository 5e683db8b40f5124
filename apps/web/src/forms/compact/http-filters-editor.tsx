import { IconSettings } from '@tabler/icons-react';
import { useId, useState } from 'react';
import { SwitchControl } from '../controls/bool-control.tsx';
import { TextControl } from '../controls/text-control.tsx';
import { pickExtension, toHolder } from '../fields/pick-extension.ts';
import styles from '../form.module.css';
import { useForm } from '../form-context.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { shortType } from '../model/names.ts';
import { joinPath } from '../model/path.ts';
import compact from './compact.module.css';
import type { CompactEditorProps } from './compact-editor.ts';
import { type FilterRow, placeOfNew, readFilters, writeDisabled, writeName } from './model/http-filters.ts';
import { MovableLine, type MovableLineProps } from './movable-line.tsx';
import { ActionButton, AddButton, hintOthers, MoreRows, RowNotes, TEXT_FIELD } from './row-parts.tsx';
import { StoredDocument } from './stored-document.tsx';
import { texts } from './texts.tsx';
import { useDragOrder } from './use-drag-order.ts';
import { useListRows } from './use-list-rows.ts';
import { useMessages } from './use-rows.ts';

const text = texts.filters;
const SLOT = 'envoy.filters.http';
const FILTER = 'envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter';

/** HTTP filters as lines of name, type and state, in the order in which they see a request. */
export function HttpFiltersEditor({ value, at }: CompactEditorProps) {
  const { state, readOnly } = useForm();
  const [news, setNews] = useState('');
  const found = readFilters(value);
  const rows = found.isSimple ? found.rows : [];
  const list = useListRows({ at, count: rows.length, mainCell: 'name' });
  const messagesOf = useMessages();
  const move = (from: number, to: number, cell: string) => {
    if (list.move(from, to, cell)) setNews(text.moved(from + 1, to + 1));
  };
  const drag = useDragOrder((from, to) => move(from, to, 'name'));
  const pickNew = usePickNew(at, (place, filter) => {
    list.insert(place, filter);
    setNews(text.added(place + 1));
  });
  return (
    <div ref={list.root} className={compact.editor}>
      {!readOnly && <p className={styles.lead}>{text.lead}</p>}
      {rows.slice(0, list.shown).map((row, index) => (
        <FilterLine
          // Filters have no ID, so their position is the key.
          key={joinPath(at, index)}
          row={row}
          index={index}
          count={rows.length}
          drag={drag}
          messages={messagesOf(joinPath(at, index))}
          onWrite={(change, typing) => list.write(index, change, typing)}
          onOpen={() => state.requestFocus(joinPath(at, index))}
          onMove={(to, cell) => move(index, to, cell)}
          onRemove={() => list.remove(index)}
        />
      ))}
      <MoreRows shown={list.shown} all={rows.length} onClick={list.showMore} />
      {!readOnly && <AddButton label={text.add} onClick={(event) => pickNew(event.currentTarget)} />}
      <span role="status" className={styles.quiet}>
        {news}
      </span>
    </div>
  );
}

/** Returns a function that offers extensions, and passes on the picked filter with its place among those at that time. */
function usePickNew(at: string, onPicked: (place: number, filter: Json) => void): (anchor: HTMLElement) => void {
  const form = useForm();
  return (anchor) =>
    pickExtension(form, {
      anchor,
      slot: SLOT,
      selected: undefined,
      allowReference: true,
      onPick: (picked) => {
        void toHolder(form.source, { type: FILTER, picked, before: undefined }).then((holder) => {
          const now = readFilters(form.state.get(at));
          if (!now.isSimple) return;
          onPicked(placeOfNew(now.rows, picked.kind === 'extension' ? picked.extension.type : undefined), holder);
        });
      },
    });
}

interface FilterLineProps extends Pick<MovableLineProps, 'index' | 'count' | 'drag' | 'onMove' | 'onRemove'> {
  readonly row: FilterRow;
  readonly messages: readonly string[];
  readonly onWrite: (change: (item: Json | undefined) => JsonObject, typing: boolean) => void;
  readonly onOpen: () => void;
}

function FilterLine({ row, messages, onWrite, onOpen, ...line }: FilterLineProps) {
  const id = useId();
  const number = line.index + 1;
  return (
    <MovableLine
      {...line}
      words={text}
      columns={compact.filter}
      mainCell="name"
      actions={<ActionButton label={text.open(number)} Icon={IconSettings} onClick={onOpen} />}
      notes={<RowNotes id={`${id}-notes`} messages={messages} problems={row.problems} hints={hintOthers(row.others)} />}
    >
      {row.reference === undefined ? (
        <FilterCells row={row} number={number} id={id} onWrite={onWrite} />
      ) : (
        <StoredDocument reference={row.reference} />
      )}
    </MovableLine>
  );
}

interface FilterCellsProps extends Pick<FilterLineProps, 'row' | 'onWrite'> {
  readonly number: number;
  readonly id: string;
}

function FilterCells({ row, number, id, onWrite }: FilterCellsProps) {
  const { readOnly } = useForm();
  const isInvalid = (cell: string) => row.problems.some((problem) => problem.cell === cell);
  const shared = { field: TEXT_FIELD, describedBy: `${id}-notes`, readOnly, keepsEmpty: true };
  return (
    <>
      <span className={compact.cell} data-cell="name">
        <TextControl
          {...shared}
          id={`${id}-name`}
          value={row.name}
          toText={String}
          fromText={(typed) => typed}
          label={text.name(number)}
          invalid={isInvalid('name')}
          code
          onCommit={(typed) => onWrite((item) => writeName(item, String(typed)), true)}
        />
      </span>
      <span className={compact.other} data-cell="type" title={row.type}>
        {row.type === undefined ? text.noType : shortType(row.type)}
      </span>
      <span className={compact.cell} data-cell="state">
        <SwitchControl
          {...shared}
          id={`${id}-state`}
          value={!row.isDisabled}
          label={text.isOn(number)}
          invalid={isInvalid('state')}
          onCommit={(on) => onWrite((item) => writeDisabled(item, on !== true), false)}
        />
      </span>
    </>
  );
}
