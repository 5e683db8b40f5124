import { IconX } from '@tabler/icons-react';
import { useId } from 'react';
import { TextControl } from '../controls/text-control.tsx';
import styles from '../form.module.css';
import { useForm } from '../form-context.ts';
import { durationFromText, durationToText } from '../model/duration.ts';
import { isObject, type Json, type JsonObject } from '../model/json.ts';
import { keyOf } from '../model/names.ts';
import { joinPath } from '../model/path.ts';
import { fromInput, toInput } from '../model/scalar.ts';
import compact from './compact.module.css';
import type { CompactEditorProps } from './compact-editor.ts';
import {
  CHECK_KINDS,
  type CheckKind,
  type CheckRow,
  createCheck,
  DURATIONS,
  freshCheckOf,
  readChecks,
  THRESHOLDS,
  writeTarget,
  writeTiming,
} from './model/health-checks.ts';
import { ActionButton, AddButton, hintOthers, MoreRows, RowNotes, TEXT_FIELD } from './row-parts.tsx';
import { texts } from './texts.tsx';
import { useListRows } from './use-list-rows.ts';
import { useMessages } from './use-rows.ts';

const text = texts.checks;
const HEADINGS = ['kind', 'target', ...DURATIONS, ...THRESHOLDS] as const;

/** Health checks of a cluster as lines: what is checked, how often, and how many results decide. */
export function HealthChecksEditor({ value, at }: CompactEditorProps) {
  const { state, readOnly } = useForm();
  const found = readChecks(value);
  const rows = found.isSimple ? found.rows : [];
  const list = useListRows({ at, count: rows.length, mainCell: 'target' });
  const messagesOf = useMessages();

  const choose = (place: string, from: CheckRow['kind'], to: CheckKind) => {
    const item = state.get(place);
    const leave =
      from === undefined || from === 'custom'
        ? undefined
        : { field: from, key: keyOf(from, isObject(item) ? item : undefined) };
    state.switchArm(place, leave, { field: to, fallback: freshCheckOf(to) });
  };
  return (
    <div ref={list.root} className={compact.editor}>
      {rows.length > 0 && (
        <div className={compact.heading} aria-hidden>
          <div className={compact.check}>
            {HEADINGS.map((cell) => (
              <span key={cell}>{text.headings[cell]}</span>
            ))}
          </div>
        </div>
      )}
      {rows.slice(0, list.shown).map((row, index) => (
        <CheckLine
          // Health checks have no ID, so their position is the key.
          key={joinPath(at, index)}
          row={row}
          index={index}
          messages={messagesOf(joinPath(at, index))}
          onChoose={(kind) => choose(joinPath(at, index), row.kind, kind)}
          onWrite={(change) => list.write(index, change, true)}
          onRemove={() => list.remove(index)}
        />
      ))}
      <MoreRows shown={list.shown} all={rows.length} onClick={list.showMore} />
      {!readOnly && <AddButton label={text.add} onClick={() => list.insert(rows.length, createCheck())} />}
    </div>
  );
}

interface CheckLineProps {
  readonly row: CheckRow;
  readonly index: number;
  readonly messages: readonly string[];
  readonly onChoose: (kind: CheckKind) => void;
  readonly onWrite: (change: (item: Json | undefined) => JsonObject) => void;
  readonly onRemove: () => void;
}

function CheckLine({ row, index, messages, onChoose, onWrite, onRemove }: CheckLineProps) {
  const { readOnly } = useForm();
  const id = useId();
  const number = index + 1;
  const shared = { field: TEXT_FIELD, describedBy: `${id}-notes`, readOnly, keepsEmpty: true, code: true };
  const isInvalid = (cell: string) => row.problems.some((problem) => problem.cell === cell);
  return (
    <fieldset className={compact.line} data-line={index} aria-label={text.row(number)}>
      <div className={compact.check}>
        <KindCell kind={row.kind} number={number} readOnly={readOnly} onChoose={onChoose} />
        <span className={compact.cell} data-cell="target">
          {row.target !== undefined && (
            <TextControl
              {...shared}
              id={`${id}-target`}
              value={row.target}
              toText={String}
              fromText={(typed) => typed}
              label={text.cell(text.targets[row.kind === 'grpc_health_check' ? 'grpc' : 'http'], number)}
              placeholder={row.kind === 'grpc_health_check' ? text.anyService : undefined}
              invalid={isInvalid('target')}
              onCommit={(typed) => onWrite((item) => writeTarget(item, String(typed)))}
            />
          )}
        </span>
        {[...DURATIONS, ...THRESHOLDS].map((cell) => {
          const isDuration = DURATIONS.some((known) => known === cell);
          return (
            <span key={cell} className={compact.cell} data-cell={cell} data-label={text.headings[cell]}>
              <TextControl
                {...shared}
                id={`${id}-${cell}`}
                value={row.timings[cell]}
                toText={isDuration ? durationToText : toInput}
                fromText={isDuration ? durationFromText : (typed) => fromInput('uint32', typed)}
                label={text.cell(text.headings[cell], number)}
                placeholder={text.headings[cell]}
                invalid={isInvalid(cell)}
                keepsEmpty={false}
                onCommit={(next) => onWrite((item) => writeTiming(item, cell, next))}
              />
            </span>
          );
        })}
        {!readOnly && <ActionButton label={text.remove(number)} Icon={IconX} onClick={onRemove} />}
      </div>
      <RowNotes id={`${id}-notes`} messages={messages} problems={row.problems} hints={hintOthers(row.others)} />
    </fieldset>
  );
}

interface KindCellProps {
  readonly kind: CheckRow['kind'];
  readonly number: number;
  readonly readOnly: boolean;
  readonly onChoose: (kind: CheckKind) => void;
}

function KindCell({ kind, number, readOnly, onChoose }: KindCellProps) {
  if (kind === 'custom') return <span className={`${compact.cell} ${styles.quiet}`}>{text.custom}</span>;
  return (
    <span className={compact.cell} data-cell="kind">
      <select
        className={compact.kind}
        aria-label={text.cell(text.headings.kind, number)}
        value={kind ?? ''}
        disabled={readOnly}
        onChange={(event) => {
          const chosen = CHECK_KINDS.find((known) => known === event.currentTarget.value);
          if (chosen) onChoose(chosen);
        }}
      >
        {kind === undefined && <option value="">{text.choose}</option>}
        {CHECK_KINDS.map((known) => (
          <option key={known} value={known}>
            {text.kinds[known]}
          </option>
        ))}
      </select>
    </span>
  );
}
