import { IconArrowDown, IconArrowUp, IconX } from '@tabler/icons-react';
import { type KeyboardEvent, useId, useState } from 'react';
import { NameControl } from '../controls/name-control.tsx';
import { TextControl } from '../controls/text-control.tsx';
import styles from '../form.module.css';
import { useForm } from '../form-context.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { joinPath } from '../model/path.ts';
import compact from './compact.module.css';
import type { CompactEditorProps } from './compact-editor.ts';
import { createRoute, MATCH_KINDS, type RouteRow, readRoutes, writeCluster, writeMatch } from './model/routes.ts';
import { ActionButton, AddButton, hintOthers, MoreRows, RowNotes, TEXT_FIELD } from './row-parts.tsx';
import { texts } from './texts.tsx';
import { useMessages, useRows } from './use-rows.ts';

const text = texts.routes;

/** Routes of a virtual host as lines: a match and its cluster, in Envoy's order. */
export function RoutesEditor({ value, at }: CompactEditorProps) {
  const { state, readOnly } = useForm();
  const [news, setNews] = useState('');
  const found = readRoutes(value);
  const rows = found.isSimple ? found.rows : [];
  const { root, shown, showMore, focusCell } = useRows(rows.length);
  const messagesOf = useMessages();

  const move = (from: number, to: number, cell: string) => {
    if (readOnly || to < 0 || to >= rows.length) return;
    state.moveItem(at, from, to);
    setNews(text.moved(from + 1, to + 1));
    focusCell(to, cell);
  };
  return (
    <div ref={root} className={compact.editor}>
      {!readOnly && <p className={styles.lead}>{text.lead}</p>}
      {rows.length > 0 && (
        <div className={compact.heading} aria-hidden>
          <div className={compact.route}>
            <span>{text.headings.kind}</span>
            <span>{text.headings.match}</span>
            <span>{text.headings.cluster}</span>
          </div>
        </div>
      )}
      {rows.slice(0, shown).map((row, index) => (
        <RouteLine
          // Routes have no ID, so their position is the key.
          key={joinPath(at, index)}
          row={row}
          index={index}
          count={rows.length}
          messages={messagesOf(joinPath(at, index))}
          onWrite={(change, typing) => {
            const place = joinPath(at, index);
            state.set(place, change(state.get(place)), { typing });
          }}
          onMove={(to, cell) => move(index, to, cell)}
          onRemove={() => {
            state.removeItem(at, index);
            focusCell(Math.max(0, Math.min(index, rows.length - 2)), 'match');
          }}
        />
      ))}
      <MoreRows shown={shown} all={rows.length} onClick={showMore} />
      {!readOnly && (
        <AddButton
          label={text.add}
          onClick={() => {
            state.insertItem(at, rows.length, createRoute());
            focusCell(rows.length, 'match');
          }}
        />
      )}
      <span role="status" className={styles.quiet}>
        {news}
      </span>
    </div>
  );
}

interface RouteLineProps {
  readonly row: RouteRow;
  readonly index: number;
  readonly count: number;
  readonly messages: readonly string[];
  readonly onWrite: (change: (item: Json | undefined) => JsonObject, typing: boolean) => void;
  readonly onMove: (to: number, cell: string) => void;
  readonly onRemove: () => void;
}

function RouteLine(props: RouteLineProps) {
  const { row, index, count, messages, onMove, onRemove } = props;
  const { readOnly } = useForm();
  const id = useId();
  const number = index + 1;
  // Before the inputs: an arrow key opens their options.
  const onKeyDownCapture = (event: KeyboardEvent) => {
    if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
    event.preventDefault();
    event.stopPropagation();
    const cell = (event.target as HTMLElement).closest<HTMLElement>('[data-cell]')?.dataset.cell ?? 'match';
    onMove(index + (event.key === 'ArrowUp' ? -1 : 1), cell);
  };
  const hints = [
    ...(row.shadowedBy === undefined ? [] : [text.shadowed(row.shadowedBy)]),
    ...hintOthers([...row.conditions, ...row.settings]),
  ];
  return (
    <fieldset
      className={compact.line}
      data-line={index}
      aria-label={text.row(number)}
      aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown"
      onKeyDownCapture={onKeyDownCapture}
    >
      <div className={compact.route}>
        <MatchCells {...props} id={id} />
        <ClusterCell {...props} id={id} />
        {!readOnly && (
          <span className={compact.actions}>
            <span data-cell="up">
              <ActionButton
                label={text.up(number)}
                Icon={IconArrowUp}
                disabled={index === 0}
                onClick={() => onMove(index - 1, 'up')}
              />
            </span>
            <span data-cell="down">
              <ActionButton
                label={text.down(number)}
                Icon={IconArrowDown}
                disabled={index === count - 1}
                onClick={() => onMove(index + 1, 'down')}
              />
            </span>
            <ActionButton label={text.remove(number)} Icon={IconX} onClick={onRemove} />
          </span>
        )}
      </div>
      <RowNotes id={`${id}-notes`} messages={messages} problems={row.problems} hints={hints} />
    </fieldset>
  );
}

function MatchCells({ row, index, onWrite, id }: RouteLineProps & { readonly id: string }) {
  const { readOnly } = useForm();
  const { match } = row;
  const number = index + 1;
  if (match.kind === 'other') return <span className={compact.other}>{match.label}</span>;
  return (
    <>
      <span className={compact.cell} data-cell="kind">
        <select
          className={compact.kind}
          aria-label={text.kind(number)}
          value={match.kind}
          disabled={readOnly}
          onChange={(event) => {
            const kind = MATCH_KINDS.find((known) => known === event.currentTarget.value);
            if (kind) onWrite((item) => writeMatch(item, { kind, text: match.text }), false);
          }}
        >
          {MATCH_KINDS.map((kind) => (
            <option key={kind} value={kind}>
              {text.kinds[kind]}
            </option>
          ))}
        </select>
      </span>
      <span className={compact.cell} data-cell="match">
        <TextControl
          id={`${id}-match`}
          field={TEXT_FIELD}
          value={match.text}
          toText={String}
          fromText={(typed) => typed}
          label={text.match(number)}
          describedBy={`${id}-notes`}
          invalid={row.problems.some(({ cell }) => cell === 'match')}
          readOnly={readOnly}
          code
          keepsEmpty
          onCommit={(typed) => onWrite((item) => writeMatch(item, { kind: match.kind, text: String(typed) }), true)}
        />
      </span>
    </>
  );
}

function ClusterCell({ row, index, onWrite, id }: RouteLineProps & { readonly id: string }) {
  const { readOnly } = useForm();
  const { target } = row;
  if (target.kind === 'other') return <span className={compact.other}>{target.label}</span>;
  return (
    <span className={compact.cell} data-cell="cluster">
      <NameControl
        id={`${id}-cluster`}
        field={TEXT_FIELD}
        collection="clusters"
        value={target.cluster}
        label={text.cluster(index + 1)}
        describedBy={`${id}-notes`}
        invalid={row.problems.some(({ cell }) => cell === 'cluster')}
        readOnly={readOnly}
        keepsEmpty
        onCommit={(typed, typing) => onWrite((item) => writeCluster(item, String(typed ?? '')), typing)}
      />
    </span>
  );
}
