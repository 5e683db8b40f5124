import { useId, useState } from 'react';
import { NameControl } from '../controls/name-control.tsx';
import { TextControl } from '../controls/text-control.tsx';
import styles from '../form.module.css';
import { useForm } from '../form-context.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { joinPath } from '../model/path.ts';
import compact from './compact.module.css';
import type { CompactEditorProps } from './compact-editor.ts';
import { createRoute, MATCH_KINDS, type RouteRow, readRoutes, writeCluster, writeMatch } from './model/routes.ts';
import { MovableLine, type MovableLineProps } from './movable-line.tsx';
import { AddButton, hintOthers, MoreRows, RowNotes, TEXT_FIELD } from './row-parts.tsx';
import { texts } from './texts.tsx';
import { useDragOrder } from './use-drag-order.ts';
import { useListRows } from './use-list-rows.ts';
import { useMessages } from './use-rows.ts';

const text = texts.routes;

/** Routes of a virtual host as lines: a match and its cluster, in Envoy's order. */
export function RoutesEditor({ value, at }: CompactEditorProps) {
  const { readOnly } = useForm();
  const [news, setNews] = useState('');
  const found = readRoutes(value);
  const rows = found.isSimple ? found.rows : [];
  const list = useListRows({ at, count: rows.length, mainCell: 'match' });
  const messagesOf = useMessages();
  const move = (from: number, to: number, cell: string) => {
    if (list.move(from, to, cell)) setNews(text.moved(from + 1, to + 1));
  };
  const drag = useDragOrder((from, to) => move(from, to, 'match'));
  return (
    <div ref={list.root} className={compact.editor}>
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
      {rows.slice(0, list.shown).map((row, index) => (
        <RouteLine
          // Routes have no ID, so their position is the key.
          key={joinPath(at, index)}
          row={row}
          index={index}
          count={rows.length}
          drag={drag}
          messages={messagesOf(joinPath(at, index))}
          onWrite={(change, typing) => list.write(index, change, typing)}
          onMove={(to, cell) => move(index, to, cell)}
          onRemove={() => list.remove(index)}
        />
      ))}
      <MoreRows shown={list.shown} all={rows.length} onClick={list.showMore} />
      {!readOnly && <AddButton label={text.add} onClick={() => list.insert(rows.length, createRoute())} />}
      <span role="status" className={styles.quiet}>
        {news}
      </span>
    </div>
  );
}

interface RouteLineProps extends Pick<MovableLineProps, 'index' | 'count' | 'drag' | 'onMove' | 'onRemove'> {
  readonly row: RouteRow;
  readonly messages: readonly string[];
  readonly onWrite: (change: (item: Json | undefined) => JsonObject, typing: boolean) => void;
}

function RouteLine({ row, messages, onWrite, ...line }: RouteLineProps) {
  const id = useId();
  const hints = [
    ...(row.shadowedBy === undefined ? [] : [text.shadowed(row.shadowedBy)]),
    ...hintOthers([...row.conditions, ...row.settings]),
  ];
  const cells = { row, onWrite, id, index: line.index };
  return (
    <MovableLine
      {...line}
      words={text}
      columns={compact.route}
      mainCell="match"
      notes={<RowNotes id={`${id}-notes`} messages={messages} problems={row.problems} hints={hints} />}
    >
      <MatchCells {...cells} />
      <ClusterCell {...cells} />
    </MovableLine>
  );
}

interface RouteCellsProps extends Pick<RouteLineProps, 'row' | 'index' | 'onWrite'> {
  readonly id: string;
}

function MatchCells({ row, index, onWrite, id }: RouteCellsProps) {
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

function ClusterCell({ row, index, onWrite, id }: RouteCellsProps) {
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
